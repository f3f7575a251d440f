import { expect } from 'chai'
import { engineCall } from '../support/engine-call.ts'
import { sideBySide } from '../support/side-by-side.ts'
import type { Daemon } from '../support/tallyman.ts'
import { waitUntil } from '../support/wait-until.ts'
import { expectCode } from './document.ts'
import { createScene, idsOf, type Scene, service } from './scene.ts'

describe('drift while the daemon runs', () => {
  const it = sideBySide()

  it('D9 G25 a container that was removed is seen as drift, made again and logged', async () => {
    await using scene = await createScene()
    const daemon = await deployed(scene)
    const [gone = '', kept] = idsOf(await scene.containers())
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${gone}?force=1`)
    const healed = await waitUntil('it is made again', async () => {
      const running = (await scene.containers()).filter(({ state }) => state === 'running')
      return running.length === 2 && running
    })
    expect(idsOf(healed)).to.include(kept).and.to.not.include(gone)
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    await expectDriftLogged(scene)
  })

  it('D9 G14 a container that was stopped is seen as drift, started again and logged', async () => {
    await using scene = await createScene()
    const daemon = await deployed(scene)
    const before = idsOf(await scene.containers())
    await engineCall(scene.dockerSocket, 'POST', `/containers/${before[0]}/stop`)
    await waitUntil('it runs again', async () => {
      const containers = await scene.containers()
      return containers.every(({ state }) => state === 'running')
    })
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(idsOf(await scene.containers())).to.deep.equal(before)
    await expectDriftLogged(scene)
  })

  it('D9 with drift: report it is only reported', async () => {
    await using scene = await createScene({ config: { drift: 'report' } })
    const daemon = await deployed(scene)
    const [stopped = ''] = idsOf(await scene.containers())
    await engineCall(scene.dockerSocket, 'POST', `/containers/${stopped}/stop`)
    await daemon.until('it is reported', seen => seen.sync === 'OutOfSync')
    expectCode(await scene.tallyman.run('reconcile'), 0)
    await daemon.until('it still is', seen => seen.sync === 'OutOfSync' && seen.running === undefined)
    const [{ state } = { state: '' }] = (await scene.containers()).filter(({ id }) => id === stopped)
    expect(state).to.equal('exited')
    const planned = await scene.tallyman.run('plan')
    expect(planned.stdout).to.include('(drift-reported)')
  })

  it('D9 with drift: confirm it waits for a yes', async () => {
    await using scene = await createScene({ config: { drift: 'confirm' } })
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const [only = ''] = idsOf(await scene.containers())
    await engineCall(scene.dockerSocket, 'POST', `/containers/${only}/stop`)
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 2)
  })
})

/** Two instances of `web`, and the daemon that brought them up. */
async function deployed(scene: Scene): Promise<Daemon> {
  await scene.push('web', '1')
  await scene.commit({ services: [service('web', '1', '1')], skipConfirmation: true })
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
  return daemon
}

async function expectDriftLogged({ tallyman }: Scene): Promise<void> {
  const { stdout } = await tallyman.run('log', '--output', 'json')
  const entries: readonly { readonly passId: number; readonly outcome: string }[] = JSON.parse(stdout)
  const { passId } = entries.find(({ outcome }) => outcome === 'applied') ?? { passId: 0 }
  const shown = await tallyman.run('show', String(passId))
  expect(shown.stdout).to.include('Drift: what runs was changed from outside, and is repaired:')
}
