import { expect } from 'chai'
import { expectCode } from '../scenes/plan-document.ts'
import { createScene, type Scene, service } from '../scenes/scene.ts'
import type { OwnEngine } from '../support/dockerd.ts'
import { engineCall } from '../support/engine-call.ts'
import { beginSwarm, startSwarmEngine } from '../support/swarm.ts'
import { waitUntil } from '../support/wait-until.ts'

describe('an engine that cannot be asked as a manager now, as a site of that kind', function () {
  this.timeout(300_000)

  const sceneOn = async ({ socket }: OwnEngine): Promise<Scene> => {
    const site = { name: 'cluster', endpoint: `unix://${socket}`, kind: 'swarm' }
    const scene = await createScene({
      dockerSocket: socket,
      // The kernel of this machine may have no IPVS, which virtual addresses and the routing mesh need.
      config: { sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }] },
    })
    await scene.push('web', '1')
    await scene.commit({ skipConfirmation: true, services: [service('web', '1')] })
    return scene
  }

  it('G13 that is no manager is a clear state, and is looked at again once it is one', async () => {
    await using engine = await startSwarmEngine()
    await using scene = await sceneOn(engine)
    const { tallyman } = scene
    const refused = await tallyman.run('plan')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('cluster: it is no manager of a Swarm (swarm-unavailable)')
    await beginSwarm(engine.socket)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 2)
  })

  it('G13 G4 that is locked is a clear state, in which nothing counts as gone, and goes on once it is unlocked', async () => {
    await using engine = await startSwarmEngine()
    await beginSwarm(engine.socket)
    await using scene = await sceneOn(engine)
    const { tallyman } = scene
    expectCode(await tallyman.run('apply'), 0)
    const unlockKey = await lockedByStart(engine)
    await engine.restart()
    const refused = await tallyman.run('plan')
    expectCode(refused, 1)
    expect(refused.stderr).to.include(
      'cluster: its Swarm is locked: unlock it with "docker swarm unlock" (swarm-unavailable)',
    )
    await waitUntil('it is unlocked, and a manager again', async () => {
      await engineCall(engine.socket, 'POST', '/swarm/unlock', { UnlockKey: unlockKey })
      return (await engineCall(engine.socket, 'GET', '/services')).status === 200
    })
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})

/** Has a Swarm be locked whenever its manager is started, and returns the key for that. */
async function lockedByStart({ socket }: OwnEngine): Promise<string> {
  type Told = { readonly Version: { readonly Index: number }; readonly Spec: object }
  const { Version, Spec }: Told = JSON.parse((await engineCall(socket, 'GET', '/swarm')).body.toString())
  const locking = { ...Spec, EncryptionConfig: { AutoLockManagers: true } }
  const { status } = await engineCall(socket, 'POST', `/swarm/update?version=${Version.Index}`, locking)
  expect(status).to.equal(200)
  const { UnlockKey }: { readonly UnlockKey: string } = JSON.parse(
    (await engineCall(socket, 'GET', '/swarm/unlockkey')).body.toString(),
  )
  return UnlockKey
}
