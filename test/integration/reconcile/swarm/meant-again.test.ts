import { expect } from 'chai'
import { stringify } from 'yaml'
import { createScene, type Scene } from '../scene.ts'

const both = 'system/name = local or system/name = cluster'

/** Has the deployment mean these sites, and takes one step. */
async function meaning(scene: Scene, labels: string) {
  const file = { name: 'shop', application: 'shop', placement: { 'match-site-labels': labels } }
  const container = { name: 'app', image: `${scene.prefix}/app:1` }
  const specification = { name: 'shop', version: '1', services: [{ name: 'web', containers: [container] }] }
  const files = {
    'applications/shop.yaml': stringify(specification),
    'deployments/shop.yaml': stringify(file),
  }
  const services = [{ name: 'other', containers: [{ dockerName: 'app', dockerTag: '1' }] }]
  await scene.commit({ skipConfirmation: true, services }, labels, files)
  await scene.tallyman.run('apply', '--yes')
  const { stdout } = await scene.tallyman.run('status', '--output', 'json')
  const [{ deployments }] = JSON.parse(stdout)
  return deployments[0]
}

describe('a Swarm that a deployment means again after it did not', () => {
  it('A25 G13 is waited for as long as the application cannot be made there', async () => {
    await using scene = await createScene({
      config: { healthyTime: '0s' },
      site: { kind: 'host' },
      sameEngine: { name: 'cluster', kind: 'swarm' },
    })
    const swarm = scene.engine.beginSwarm()
    scene.push('app', '1')
    const runs = () => swarm.list({}).map(({ Spec }) => Spec.Name)
    const service = `${scene.environment}_shop_web`
    await meaning(scene, both)
    expect((await meaning(scene, both)).sites).to.include({ done: 2 })
    await meaning(scene, 'system/name = local')
    expect(runs()).to.not.include(service)
    const end = scene.engine.faults.set(/POST \/services\/create/, { status: 500, message: 'no quorum' })
    const { state, sites, reason, left } = await meaning(scene, both)
    expect([state, sites]).to.deep.equal(['progressing', { done: 1, now: 1, toCome: 0 }])
    expect(reason).to.match(/^waits for cluster/)
    expect(left).to.have.length(1)
    end()
    await meaning(scene, both)
    expect((await meaning(scene, both)).state).to.equal('done')
    expect(runs()).to.include(service)
  })
})
