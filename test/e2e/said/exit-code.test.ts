import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, service } from '../../scenes/scene.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

describe('exit codes', () => {
  const it = sideBySide()

  it('plan --detailed-exitcode: 0 no change, 1 error, 2 changes; without it a plan is no failure', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await tallyman.run('plan'), 0)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 2)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    await scene.commit({ services: [service('web', 'gone')] })
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 1)
  })

  it('an unknown command is wrong usage: 64', async () => {
    await using scene = await createScene()
    const ran = await scene.tallyman.run('deploy')
    expectCode(ran, 64)
    expect(ran.stdout).to.equal('')
    expect(ran.stderr).to.match(/^Run "tallyman --help"/m)
  })
})
