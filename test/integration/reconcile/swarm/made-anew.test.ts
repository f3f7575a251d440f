import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { createScene, type Scene } from '../scene.ts'

const words =
  'local: this is another Swarm than before: what ran on the former is gone with it (swarm-made-anew)'

/** A scene whose site is a simulated Swarm, with the application `shop` of one service, which has a hook. */
async function swarmScene(skipConfirmation: boolean): Promise<Scene> {
  const site = { kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' }
  const scene = await createScene({ site, config: { healthyTime: '0s' } })
  begin(scene)
  scene.push('web', '1')
  const pre = { failurePolicy: 'Abort', execNewPod: { containerName: 'app', command: ['migrate'] } }
  const containers = [{ name: 'app', image: `${scene.prefix}/web:1` }]
  const services = [
    { name: 'web', replicas: 1, strategy: { type: 'Recreate', recreate: { pre } }, containers },
  ]
  await scene.commit({ skipConfirmation, services: [{ name: 'shop' }] }, 'shop', {
    'applications/shop.yaml': stringify({ name: 'shop', version: '1', services }),
  })
  return scene
}

/** The plan that waits, as the status tells. */
function planIn(status: string): string {
  return /tallyman approve (\w+)/.exec(status)?.[1] ?? ''
}

/** Makes the Swarm, or makes it anew: hooks run to their end. Also returns how many have run there. */
function begin({ engine }: Scene) {
  let ran = 0
  engine.leaveSwarm()
  const swarm = engine.beginSwarm()
  swarm.fate = ({ Labels }) => {
    if (Labels?.['tallyman.role'] !== 'hook') return { State: 'running' }
    ran += 1
    return { State: 'complete' }
  }
  return { swarm, hooks: () => ran }
}

describe('a Swarm that was left and made anew', () => {
  it('D2 G13 gets everything as an empty site does, with its hooks, and the plan, the log and the status say what became of the former', async () => {
    await using scene = await swarmScene(true)
    const { tallyman } = scene
    expectCode(await tallyman.run('apply'), 0)
    expect((await tallyman.run('plan')).stdout).not.to.include(words)
    const { hooks } = begin(scene)
    const plan = await tallyman.run('plan')
    expect(plan.stdout).to.include(words).and.to.include('+ web  not deployed yet')
    const { outcome, changes } = documentOf(await tallyman.run('apply', '--output', 'json'))
    expect([outcome, changes.map(({ cause }) => cause), hooks()]).to.deep.equal(['applied', ['missing'], 1])
    expect((await tallyman.run('show', '2')).stdout).to.include(words)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    expect((await tallyman.run('status')).stdout, 'it is over').not.to.include(words)
  })

  it('D4 G13 gets nothing without the word of somebody where the repository asks for one, and the status says why', async () => {
    await using scene = await swarmScene(false)
    const { tallyman } = scene
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const daemon = await tallyman.daemon()
    await daemon.until('it runs', ({ sync, running }) => sync === 'Synced' && running === undefined)
    const { swarm } = begin(scene)
    expectCode(await tallyman.run('reconcile'), 0)
    await daemon.until('it waits', ({ outcome }) => outcome === 'needs-confirmation')
    const told = (await tallyman.run('status')).stdout
    expect(told).to.include(`  ${words}`)
    expect(daemon.said().stderr.split('another Swarm'), 'told once').to.have.lengthOf(2)
    expect(swarm.list({})).to.deep.equal([])
    expect((await tallyman.run('approve', planIn(told), '--wait')).code).to.equal(0)
    expect(swarm.list({})).to.have.lengthOf(1)
  })

  it('G3 is asked which Swarm it is only once, and where nothing of ours runs', async () => {
    await using scene = await swarmScene(true)
    const { tallyman, engine } = scene
    expectCode(await tallyman.run('apply'), 0)
    const daemon = await tallyman.daemon()
    await daemon.until('it runs', ({ sync, running }) => sync === 'Synced' && running === undefined)
    expectCode(await tallyman.run('reconcile'), 0)
    engine.forgetCalls()
    expectCode(await tallyman.run('reconcile'), 0)
    await daemon.until('it has looked', () => engine.calls.includes('GET /services'))
    expect(engine.calls).not.to.include('GET /swarm')
  })
})
