import { expect } from 'chai'
import { deployed, expectRolledBackTo, present } from '../../scenes/applications/pushed-versions.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene } from '../../scenes/scene.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { startRegistry } from '../../support/images/registry.ts'

describe('images of old versions', () => {
  it("A6 G10 X8 go after as many more versions as are kept, but for what somebody else's container uses; those that are kept serve a rollback without a registry", async () => {
    await using registry = await startRegistry()
    await using scene = await createScene({ registry, config: { images: { prune: true, keep: 2 } } })
    const pushed = await deployed(scene, 4)
    await engineCall(scene.dockerSocket, 'POST', '/containers/create', { Image: pushed[0]?.pinned })
    const applied = await scene.tallyman.run('apply')
    expectCode(applied, 0)
    expect(applied.stderr).to.match(/^remove-image .*web:1@.* {2}left alone: conflict/m)
    expect(applied.stderr).to.not.match(/^remove-image .*web:1@.* {2}done/m)
    expect(applied.stderr).to.match(/^remove-image .*web:2@.* {2}done/m)
    expect(await present(scene, pushed)).to.deep.equal(['1', '3', '4'])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)

    await registry.off()
    await expectRolledBackTo(scene, pushed[2])
    expect(await present(scene, pushed)).to.deep.equal(['1', '3', '4'])
  })
})
