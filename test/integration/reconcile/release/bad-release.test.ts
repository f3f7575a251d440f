import { expect } from 'chai'
import { expectRolledBack } from '../../../scenes/happenings/expect-rolled-back.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { idsOf, service, startTimes } from '../../../scenes/scene.ts'
import { exits } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, type Scene } from '../scene.ts'

describe('a release that fails', () => {
  const it = sideBySide()

  it('G5 G6 that exits at once is rolled back: what ran before was never stopped', async () => {
    await using scene = await createScene()
    await expectRolledBack(scene, { cmd: exits(7) }, 'exited-early')
  })

  it('H9 is kept with what it said, disturbs nothing, and goes with its application', async () => {
    await using scene = await createScene({ config: { keepFailed: 1 } })
    const cmd = ['sh', '-c', 'echo "no database"; exit 7']
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { cmd }), scene.push('api', '1')])
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)

    await scene.commit({ services: [service('web', '2'), service('api', '1')] })
    const applied = await scene.tallyman.run('apply', '--yes', '--output', 'json')
    expect(documentOf(applied)).to.include({ outcome: 'rolled-back' })
    expect(documentOf(applied).error?.message).to.match(/with code 7: no database/)
    const shown = await scene.tallyman.run('show', '2')
    expect(shown.stdout).to.match(
      /Failed: \S+ on local\n {2}ended with code 7.*\n {2}Its last \d+ lines:\n {4}no database/,
    )

    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    expect((await scene.containers()).map(({ service, state }) => `${service} ${state}`)).to.have.members([
      'api running',
      'web running',
      'web exited',
    ])
    await scene.commit({ services: [service('api', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    expect((await scene.containers()).map(({ service }) => service)).to.deep.equal(['api'])
  })

  it('G5 is not tried again until --retry, or until the desired state changes', async () => {
    await using scene = await createScene()
    await Promise.all([
      scene.push('web', '1'),
      scene.push('web', '2', { cmd: exits(7) }),
      scene.push('web', '3', { env: { V: '3' } }),
    ])
    const apply = (...flags: readonly string[]) =>
      scene.tallyman.run('apply', '--yes', '--output', 'json', ...flags)
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await apply(), 0)
    const before = await startTimes(scene)
    await scene.commit({ services: [service('web', '2')] })
    expect(documentOf(await apply()).outcome).to.equal('rolled-back')

    const again = await apply()
    expectCode(again, 1)
    expect(documentOf(again).outcome).to.equal('failed')
    expect(documentOf(again).error).to.include({ code: 'quarantined' })
    expect(documentOf(await apply('--retry')).outcome).to.equal('rolled-back')
    const said = await scene.tallyman.run('log', '--answers', '--output', 'json')
    const answers: readonly Said[] = JSON.parse(said.stdout)
    expect(answers.map(({ verb, via }) => `${verb} by ${via}`)).to.deep.equal(['retry by flag'])
    expect(await startTimes(scene)).to.deep.equal(before)

    await scene.commit({ services: [service('web', '3')] })
    expectCode(await apply(), 0)
    const [container] = await scene.containers()
    expect(container?.labels).to.include({ 'tallyman.image': `${scene.prefix}/web:3` })
  })

  it('G2 G5 the daemon tries it once, and once more after "retry"', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { cmd: exits(7) })])
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const daemon = await tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const before = idsOf(await scene.containers())

    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    const isHeld = (seen: { readonly errors: readonly { readonly code: string }[] }) =>
      seen.errors.some(({ code }) => code === 'quarantined')
    await daemon.until('it is held back', isHeld)
    expectCode(await tallyman.run('reconcile'), 0)
    await daemon.until('it still is', seen => isHeld(seen) && seen.running === undefined)
    expect(await attempts(scene)).to.equal(1)

    expectCode(await tallyman.run('retry', 'web'), 0)
    await waitUntil('it was tried again', async () => (await attempts(scene)) === 2)
    await daemon.until('it is held back again', isHeld)
    expect(idsOf(await scene.containers())).to.deep.equal(before)
  })
})

/** How often the log says that a release was put back. */
async function attempts({ tallyman }: Scene): Promise<number> {
  const { stdout } = await tallyman.run('log')
  return stdout.split('\n').filter(line => line.includes('  rolled-back  ')).length
}

type Said = { readonly verb: string; readonly via: string }
