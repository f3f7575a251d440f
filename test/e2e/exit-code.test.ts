import { expect } from 'chai'
import { expectCode } from '../scenes/plan-document.ts'
import { createScene, service } from '../scenes/scene.ts'
import { sideBySide } from '../support/side-by-side.ts'

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

  for (const [what, ...args] of [
    ['an unknown command', 'deploy'],
    ['an unknown flag', 'plan', '--fast'],
    ['an argument too many', 'plan', 'web'],
    ['a missing argument', 'approve'],
    ['an unknown form of output', 'plan', '--output', 'xml'],
  ] as const) {
    it(`${what} is wrong usage: 64`, async () => {
      await using scene = await createScene()
      const ran = await scene.tallyman.run(...args)
      expectCode(ran, 64)
      expect(ran.stdout).to.equal('')
      expect(ran.stderr).to.match(/^Run "tallyman --help"|Run "tallyman (plan|approve) --help"/m)
    })
  }

  it('a command for the daemon without one fails with code and hint', async () => {
    await using scene = await createScene()
    const ran = await scene.tallyman.run('status')
    expectCode(ran, 1)
    expect(ran.stderr).to.match(/^Error: .*\(daemon-unreachable\)\n {2}hint: .*tallyman daemon/m)
  })
})
