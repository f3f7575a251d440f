import { expect } from 'chai'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { idsOf, service } from '../../../scenes/scene.ts'
import { exits } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene } from '../scene.ts'

describe('exit codes', () => {
  const it = sideBySide()

  it('D3 apply without a terminal and without an answer: 3, and nothing is touched', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const applied = await scene.tallyman.run('apply')
    expectCode(applied, 3)
    expect(applied.stderr).to.include('--yes')
    expect(await scene.containers()).to.deep.equal([])
    const asJson = await scene.tallyman.run('apply', '--output', 'json')
    expectCode(asJson, 3)
    expect(documentOf(asJson).outcome).to.equal('needs-confirmation')
    expect(await scene.containers()).to.deep.equal([])
  })

  it('G6 D3 a release that failed is told before a removal that nobody has confirmed: 1', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await Promise.all([
      scene.push('web', '1'),
      scene.push('old', '1'),
      scene.push('web', '2', { cmd: exits(7) }),
    ])
    await scene.commit({ skipConfirmation: true, services: [service('web', '1'), service('old', '1')] })
    expectCode(await tallyman.run('apply'), 0)

    await scene.commit({ skipConfirmation: true, services: [service('web', '2')] })
    const failed = await tallyman.run('apply')
    expectCode(failed, 1)
    expect(failed.stdout).to.match(/^rolled-back: 0 of 2 changes done/m)
    expect(failed.stderr)
      .to.include('Removals wait for a confirmation')
      .and.not.include('Nothing was changed')
    expect((await tallyman.run('log')).stdout).to.match(/rolled-back/)
    expect((await scene.containers()).map(one => one.service)).to.have.members(['old', 'web'])
    await scene.commit({ skipConfirmation: true, services: [service('web', '1')] })
    expectCode(await tallyman.run('apply'), 3)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect((await scene.containers()).map(one => one.service)).to.deep.equal(['web'])
  })

  it('G8 apply --plan applies that plan and no other', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.commit({ services: [service('web', '1')] })
    const { id } = documentOf(await tallyman.run('plan', '--output', 'json'))
    expectCode(await tallyman.run('apply', '--yes', '--plan', id), 0)
    const before = idsOf(await scene.containers())

    await scene.commit({ services: [service('web', '2')] })
    const refused = await tallyman.run('apply', '--yes', '--plan', id, '--output', 'json')
    expectCode(refused, 1)
    expect(documentOf(refused)).to.include({ outcome: 'superseded' })
    expect(documentOf(refused).error).to.include({ code: 'plan-changed' })
    expect(idsOf(await scene.containers())).to.deep.equal(before)
  })

  for (const [what, ...args] of [
    ['an unknown flag', 'plan', '--fast'],
    ['an argument too many', 'plan', 'web'],
    ['a missing argument', 'approve'],
    ['an unknown form of output', 'plan', '--output', 'xml'],
  ] as const)
    it(`${what} is wrong usage: 64`, async () => {
      await using scene = await createScene()
      const ran = await scene.tallyman.run(...args)
      expectCode(ran, 64)
      expect(ran.stdout).to.equal('')
      expect(ran.stderr).to.match(/^Run "tallyman --help"|Run "tallyman (plan|approve) --help"/m)
    })

  it('a command for the daemon without one fails with code and hint', async () => {
    await using scene = await createScene()
    const ran = await scene.tallyman.run('status')
    expectCode(ran, 1)
    expect(ran.stderr).to.match(/^Error: .*\(daemon-unreachable\)\n {2}hint: .*tallyman daemon/m)
  })
})
