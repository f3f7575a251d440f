import { expect } from 'chai'
import { engineCall, engineGet } from '../support/engine-call.ts'
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
    await changeOutside(scene.dockerSocket, 'DELETE', `/containers/${gone}?force=1`)
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
    await changeOutside(scene.dockerSocket, 'POST', `/containers/${before[0]}/stop`)
    await waitUntil('it runs again', async () => {
      const containers = await scene.containers()
      return containers.every(({ state }) => state === 'running')
    })
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(idsOf(await scene.containers())).to.deep.equal(before)
    await expectDriftLogged(scene)
  })

  it('D9 what docker update changed is put back, and the container goes on', async () => {
    await using scene = await createScene()
    const daemon = await deployed(scene)
    const before = idsOf(await scene.containers())
    const [changed = ''] = before
    const policy = async () => {
      const { HostConfig } = Object(await engineGet(scene.dockerSocket, `/containers/${changed}/json`))
      return HostConfig.RestartPolicy.Name
    }
    const wanted = await policy()
    const body = { RestartPolicy: { Name: wanted === 'always' ? 'no' : 'always' } }
    await changeOutside(scene.dockerSocket, 'POST', `/containers/${changed}/update`, body)
    await waitUntil('it is put back', async () => (await policy()) === wanted)
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(idsOf(await scene.containers())).to.deep.equal(before)
    await expectDriftLogged(scene)
  })

  it('D9 an instance that bears the name of one that was removed gets its own back', async () => {
    await using scene = await createScene()
    const daemon = await deployed(scene)
    const before = await namesOf(scene)
    const [[gone, missing], [kept, name]] = [...before, ['', ''], ['', '']]
    await changeOutside(scene.dockerSocket, 'DELETE', `/containers/${gone}?force=1`)
    await changeOutside(scene.dockerSocket, 'POST', `/containers/${kept}/rename?name=${missing}`)
    const healed = await waitUntil('both names are there', async () => {
      const now = await namesOf(scene)
      return [...now.values()].sort().join() === [...before.values()].sort().join() && now
    })
    expect(healed.get(kept)).to.equal(name)
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
  })

  it('D9 what is stopped and lost its network is started on the one that is made anew', async () => {
    await using scene = await createScene({ config: { drift: 'confirm' } })
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const [only] = await scene.containers()
    const { NetworkSettings } = Object(await engineGet(scene.dockerSocket, `/containers/${only?.id}/json`))
    const [network = ''] = Object.keys(NetworkSettings.Networks)
    await changeOutside(scene.dockerSocket, 'POST', `/containers/${only?.id}/stop?t=0`)
    await changeOutside(scene.dockerSocket, 'DELETE', `/networks/${network}`)
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const [now] = await scene.containers()
    expect([now?.id, now?.state]).to.deep.equal([only?.id, 'running'])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('D9 with drift: report it is only reported', async () => {
    await using scene = await createScene({ config: { drift: 'report' } })
    const daemon = await deployed(scene)
    const [stopped = ''] = idsOf(await scene.containers())
    await changeOutside(scene.dockerSocket, 'POST', `/containers/${stopped}/stop`)
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
    await changeOutside(scene.dockerSocket, 'POST', `/containers/${only}/stop`)
    const states = async () => (await scene.containers()).map(({ id, state }) => [id, state])
    expectCode(await scene.tallyman.run('apply'), 3)
    expect(await states()).to.deep.equal([[only, 'exited']])
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    expect(await states()).to.deep.equal([[only, 'running']])
  })
})

/** What somebody else does to a container; a test whose change the engine refuses would prove nothing. */
async function changeOutside(socket: string, method: string, path: string, body?: unknown): Promise<void> {
  const { status } = await engineCall(socket, method, path, body)
  expect(status, path).to.be.within(200, 204)
}

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

/** The name of each container, by its id. */
async function namesOf({ dockerSocket, environment }: Scene): Promise<ReadonlyMap<string, string>> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`tallyman.environment=${environment}`] }))
  const answer = await engineGet(dockerSocket, `/containers/json?all=1&filters=${filters}`)
  const listed: readonly { readonly Id: string; readonly Names: readonly string[] }[] = JSON.parse(
    JSON.stringify(answer),
  )
  return new Map(listed.map(({ Id, Names: [name = ''] }) => [Id, name.slice(1)]))
}
