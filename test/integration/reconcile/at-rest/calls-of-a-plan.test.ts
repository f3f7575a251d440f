import { expect } from 'chai'
import { type Service, service } from '../../../scenes/scene.ts'
import { createScene, type Scene } from '../scene.ts'

/** What an engine is asked at a plan for version 2 of an application, besides single containers and images. */
async function askedFor(scene: Scene, container: object = {}): Promise<readonly string[]> {
  const commit = (version: string) => {
    scene.push('web', version)
    const image = `${scene.prefix}/web:${version}`
    const services = [{ name: 'web', containers: [{ name: 'web', image, ...container }] }]
    return scene.commit({ skipConfirmation: true, services: [{ name: 'web' }] }, `Run version ${version}`, {
      'applications/web.yaml': JSON.stringify({ name: 'web', services }),
    })
  }
  await commit('1')
  await scene.tallyman.run('apply')
  await commit('2')
  scene.engine.forgetCalls()
  expect((await scene.tallyman.run('plan')).stdout).to.include('1 to replace')
  return scene.engine.calls
    .filter(call => /^GET \/(containers\/json|networks|volumes|info)$/.test(call))
    .sort()
}

describe('a plan of one changed service', () => {
  it('D17 asks once for containers, networks and volumes, once who wrote there, and for nothing that the change does not need', async () => {
    await using scene = await createScene()
    expect(await askedFor(scene)).to.deep.equal([
      'GET /containers/json',
      'GET /networks',
      'GET /volumes',
      'GET /volumes',
    ])
  })

  it('G13 asks which ports are taken if the service publishes one', async () => {
    await using scene = await createScene()
    expect(await askedFor(scene, { ports: ['127.0.0.1:18080:80'] })).to.deep.equal([
      'GET /containers/json',
      'GET /containers/json',
      'GET /networks',
      'GET /volumes',
      'GET /volumes',
    ])
  })

  it('G13 asks an engine whether it manages a Swarm if its networks show that it is a node of one', async () => {
    await using scene = await createScene()
    scene.engine.beginSwarm()
    expect(await askedFor(scene)).to.include('GET /info')
  })
})

describe('a plan of a daemon that waits', () => {
  /** What a daemon asks until a plan of its second commit waits. It has found nothing to do before. */
  const askedFor = async (scene: Scene, second: Service): Promise<readonly string[]> => {
    const commit = (services: readonly Service[]) => scene.commit({ services })
    scene.push('web', '1')
    scene.push('web', '2')
    await commit([service('web', '1')])
    await scene.tallyman.run('apply', '--yes')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    scene.engine.forgetCalls()
    await commit([second])
    await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    return [...new Set(scene.engine.calls.filter(call => /^GET \/(containers\/json|networks)$/.test(call)))]
  }

  it('G2 asks for containers alone if what differs runs with all that it needs', async () => {
    await using scene = await createScene()
    expect(await askedFor(scene, service('web', '2'))).to.deep.equal(['GET /containers/json'])
  })

  it('G2 asks for networks and volumes if a service is new', async () => {
    await using scene = await createScene()
    scene.push('other', '1')
    expect(await askedFor(scene, service('other', '1'))).to.have.members([
      'GET /containers/json',
      'GET /networks',
    ])
  })
})
