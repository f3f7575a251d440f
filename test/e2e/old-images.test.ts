import { expect } from 'chai'
import { documentOf, expectCode } from '../scenes/plan-document.ts'
import { deployed, expectRolledBackTo, present } from '../scenes/pushed-versions.ts'
import { createScene } from '../scenes/scene.ts'
import { engineCall } from '../support/engine-call.ts'
import { startRegistry } from '../support/registry.ts'
import { sideBySide } from '../support/side-by-side.ts'

describe('images of old versions', () => {
  const it = sideBySide()

  it('A6 X8 go after as many more versions as are kept; those that are kept stay, and serve a rollback without a registry', async () => {
    await using registry = await startRegistry()
    await using scene = await createScene({ registry, config: { images: { prune: true, keep: 2 } } })
    const pushed = await deployed(scene, 3)

    const planned = await scene.tallyman.run('plan', '--output', 'json')
    expectCode(planned, 0)
    const { needsConfirmation, changes } = documentOf(planned)
    expect(needsConfirmation).to.equal(false)
    expect(changes.map(({ cause, steps }) => [cause, steps])).to.deep.equal([
      ['unneeded', [`remove-image ${scene.prefix}/web:1@${pushed[0]?.digest}`]],
    ])
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await present(scene, pushed)).to.deep.equal(['2', '3'])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)

    await registry.off()
    await expectRolledBackTo(scene, pushed[1])
    expect(await present(scene, pushed)).to.deep.equal(['2', '3'])
  })

  it("G10 what somebody else's container uses is left alone; that is said, and not tried again", async () => {
    await using registry = await startRegistry()
    await using scene = await createScene({ registry, config: { images: { prune: true, keep: 1 } } })
    const pushed = await deployed(scene, 3)
    await engineCall(scene.dockerSocket, 'POST', '/containers/create', { Image: pushed[0]?.pinned })
    const applied = await scene.tallyman.run('apply')
    expectCode(applied, 0)
    expect(applied.stderr).to.match(/^remove-image .*web:1@.* {2}left alone: conflict/m)
    expect(applied.stderr).to.not.match(/^remove-image .*web:1@.* {2}done/m)
    expect(await present(scene, pushed)).to.deep.equal(['1', '3'])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
