import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import type { OwnEngine } from '../../support/engine/dockerd.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { beginSwarm } from '../../support/engine/swarm.ts'
import { startNodes } from '../../support/engine/swarm-nodes.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('an engine that cannot be asked as a manager now, as a site of that kind', () => {
  it('G13 G4 that is no manager, or is locked, is a clear state, in which nothing counts as gone, and goes on once it is one', async () => {
    await using swarm = await startNodes(1)
    const [engine] = swarm.nodes
    if (engine === undefined) throw new Error('there is one')
    const site = { name: 'cluster', endpoint: `unix://${engine.socket}`, kind: 'swarm' }
    await using scene = await createScene({
      commands: 'here',
      machine: { dockerSocket: engine.socket, registry: swarm.registry },
      // The kernel of this machine may have no IPVS, which virtual addresses and the routing mesh need.
      config: { sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }] },
    })
    const { tallyman } = scene
    await scene.push('web', '1')
    await scene.commit({ skipConfirmation: true, services: [service('web', '1')] })
    const refused = await tallyman.run('plan')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('cluster: it is no manager of a Swarm (swarm-unavailable)')
    await beginSwarm(engine.socket)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 2)

    expectCode(await tallyman.run('apply'), 0)
    const unlockKey = await lockedByStart(engine)
    await engine.restart()
    const locked = await tallyman.run('plan')
    expectCode(locked, 1)
    expect(locked.stderr).to.include(
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
