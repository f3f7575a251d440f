import { expect } from 'chai'
import { changeOutside, deployed, expectDriftLogged } from '../../../scenes/happenings/change-outside.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { idsOf, service } from '../../../scenes/scene.ts'
import { engineGet } from '../../../support/engine/engine-call.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, type Scene } from '../scene.ts'

describe('drift while the daemon runs', () => {
  const it = sideBySide()

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

  it('D9 an instance that bears the name of one that was removed gets its own back', async () => {
    await using scene = await createScene()
    const daemon = await deployed(scene)
    const before = await namesOf(scene)
    const [[gone, missing], [kept, name]] = [...before, ['', ''], ['', '']]
    await changeOutside(scene.dockerSocket, 'DELETE', `/containers/${gone}?force=1`)
    await changeOutside(scene.dockerSocket, 'POST', `/containers/${kept}/rename?name=${missing}`)
    const healed = await untilNamedAs(scene, before)
    expect(healed.get(kept)).to.equal(name)
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
  })

  for (const asked of ['GET /volumes', 'GET /images/'])
    it(`D9 an instance that is given the name of a missing one after ${asked} of the pass that makes it is left alone`, async () => {
      await using scene = await createScene()
      const daemon = await deployed(scene)
      const before = await namesOf(scene)
      const [[gone, missing], [kept]] = [...before, ['', ''], ['', '']]
      const heldUntil = async () => {
        await scene.engine.ask(`POST /containers/${kept}/rename?name=${missing}`)
      }
      scene.engine.faults.set(new RegExp(`^${asked}`), { heldUntil }, 1)
      await changeOutside(scene.dockerSocket, 'DELETE', `/containers/${gone}?force=1`)
      const healed = await untilNamedAs(scene, before)
      expect(healed.get(kept)).to.equal(before.get(kept))
      await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    })

  it('D9 G10 a copy that docker commit made of an instance is none, whether it runs or not, and stays', async () => {
    await using scene = await createScene()
    const daemon = await deployed(scene)
    const before = idsOf(await scene.containers())
    const change = (path: string, body?: object) => changeOutside(scene.dockerSocket, 'POST', path, body)
    await change(`/commit?container=${before[0]}&repo=dbg&tag=2`)
    for (const name of ['my-debug', 'my-debug2'])
      await change(`/containers/create?name=${name}`, { Image: 'dbg:2', HostConfig: { NetworkMode: 'none' } })
    await change('/containers/my-debug2/start')
    const all = idsOf(await scene.containers())
    expectCode(await scene.tallyman.run('reconcile'), 0)
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    const planned = await scene.tallyman.run('plan', '--output', 'json')
    expectCode(planned, 0)
    const { sync, changes } = documentOf(planned)
    expect({ sync, changes }).to.deep.equal({ sync: 'Synced', changes: [] })
    expect(idsOf(await scene.containers())).to.deep.equal(all)
    expect(all)
      .to.include.members(before)
      .and.have.lengthOf(before.length + 2)
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

/** The name of each container, by its id. */
async function namesOf({ dockerSocket, environment }: Scene): Promise<ReadonlyMap<string, string>> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`tallyman.environment=${environment}`] }))
  const answer = await engineGet(dockerSocket, `/containers/json?all=1&filters=${filters}`)
  const listed: readonly { readonly Id: string; readonly Names: readonly string[] }[] = JSON.parse(
    JSON.stringify(answer),
  )
  return new Map(listed.map(({ Id, Names: [name = ''] }) => [Id, name.slice(1)]))
}

/** Waits until the containers have these names again; returns the name of each by then. */
function untilNamedAs(
  scene: Scene,
  before: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const named = (names: ReadonlyMap<string, string>) => [...names.values()].sort().join()
  return waitUntil('both names are there', async () => {
    const now = await namesOf(scene)
    return named(now) === named(before) && now
  })
}
