import { expect } from 'chai'
import { expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene } from '../scene.ts'

describe('deploying from git', () => {
  const it = sideBySide()

  it('G25 the log and one pass are JSON too', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const [entry] = JSON.parse((await scene.tallyman.run('log', '--output', 'json')).stdout)
    expect(entry).to.include({ outcome: 'applied', environment: scene.environment })
    const ran = await scene.tallyman.run('show', String(entry.passId), '--output', 'json')
    const { revision, digests, events } = JSON.parse(ran.stdout)
    expect(revision).to.include({ commit: await scene.repository.head() })
    expect(digests).to.have.length(1)
    const inPhase = (wanted: string): readonly string[] =>
      events
        .filter(({ phase }: { readonly phase: string }) => phase === wanted)
        .map(({ step }: { readonly step: string }) => step)
        .toSorted()
    expect(inPhase('started').map(step => step.split(' ')[0])).to.include.members([
      'pull-image',
      'create-container',
      'start-container',
      'await-healthy',
    ])
    expect(inPhase('done')).to.deep.equal(inPhase('started'))
  })

  it('G8 D4 approving a plan that is no longer the waiting one is refused, and nothing is done', async () => {
    await using scene = await createScene()
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.commit({ services: [service('web', '1')] })
    const daemon = await scene.tallyman.daemon()
    const { waiting } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const second = await scene.commit({ services: [service('web', '2')] })
    await daemon.until('the newer plan waits', seen => seen.revision?.commit === second)
    const approved = await scene.tallyman.run('approve', waiting?.plan ?? '')
    expectCode(approved, 1)
    expect(approved.stderr).to.include('(plan-changed)').and.to.include('hint: ')
    expect(await scene.containers()).to.deep.equal([])
  })

  it('G3 a commit that only touches a README changes no container', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const before = await scene.containers()
    await scene.repository.commit({ 'README.md': 'Hello\n' }, 'Say hello')
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await scene.containers()).to.deep.equal(before)
  })

  it('D4 discard says no to a waiting plan, and it is not asked again', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const daemon = await scene.tallyman.daemon()
    const { waiting } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    expectCode(await scene.tallyman.run('discard', waiting?.plan ?? ''), 0)
    await daemon.until('it is declined', seen => seen.outcome === 'declined')
    expectCode(await scene.tallyman.run('reconcile'), 0)
    const after = await daemon.until('it was looked at again', seen => seen.running === undefined)
    expect([after.outcome, after.waiting]).to.deep.equal(['declined', undefined])
    expect(await scene.containers()).to.deep.equal([])
  })
})
