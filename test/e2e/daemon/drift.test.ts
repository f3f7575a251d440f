import { expect } from 'chai'
import { changeOutside, deployed, expectDriftLogged } from '../../scenes/happenings/change-outside.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, idsOf, service } from '../../scenes/scene.ts'
import { engineGet } from '../../support/engine/engine-call.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

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
})
