import { expect } from 'chai'
import { deployed, expectRolledBackTo, present, tags } from '../../../scenes/applications/pushed-versions.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { Refusal } from '../../../support/simulated/server/refusal.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene } from '../scene.ts'

describe('images of old versions', () => {
  const it = sideBySide()

  it('A6 X8 go after four more versions; those of the last four stay, and serve a rollback without a registry', async () => {
    await using scene = await createScene({ config: { images: { prune: true } } })
    const pushed = await deployed(scene, 5)

    const planned = await scene.tallyman.run('plan', '--output', 'json')
    expectCode(planned, 0)
    const { needsConfirmation, changes } = documentOf(planned)
    expect(needsConfirmation).to.equal(false)
    expect(changes.map(({ cause, steps }) => [cause, steps])).to.deep.equal([
      ['unneeded', [`remove-image ${scene.prefix}/web:1@${pushed[0]?.digest}`]],
    ])
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await present(scene, pushed)).to.deep.equal(['2', '3', '4', '5'])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)

    scene.engine.registry.refuses(new Refusal(500, 'dial tcp: connection refused'))
    await expectRolledBackTo(scene, pushed[1])
    expect(await present(scene, pushed)).to.deep.equal(['2', '3', '4', '5'])
  })

  it('A6 go by themselves while the daemon runs', async () => {
    await using scene = await createScene({ config: { images: { prune: true, keep: 2 } } })
    const pushed = await deployed(scene, 4)
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(await present(scene, pushed)).to.deep.equal(['3', '4'])
  })

  it('A6 all stay unless the operator says otherwise', async () => {
    await using scene = await createScene()
    const pushed = await deployed(scene, 5)
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    expect(await present(scene, pushed)).to.deep.equal([...tags])
  })
})
