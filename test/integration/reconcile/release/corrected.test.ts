import { expect } from 'chai'
import {
  commit,
  isQuarantined,
  runs,
  started,
  versions,
} from '../../../scenes/applications/application-to-recreate.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene } from '../scene.ts'

describe('what failed, and is then corrected', () => {
  const it = sideBySide()

  it('H29 D18 after a failed mid hook "apply --retry" runs the hook again, and the new version serves', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    scene.push('app', '1')
    await commit(scene, { version: '1' })
    expectCode(await tallyman.run('apply'), 0)
    const line = 'echo x >> /log/tries; [ $(wc -l < /log/tries) -ge 2 ]'
    await commit(scene, { version: '2', hook: { stage: 'mid', line } })
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).error).to.include({ code: 'not-restored' })
    expect(await versions(scene)).to.deep.equal([])
    expectCode(await tallyman.run('apply', '--retry'), 0)
    expect(await versions(scene)).to.deep.equal(['2'])
  })

  it('H29 D18 after a failed mid hook a commit that corrects the hook alone is tried, and serves', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await scene.push('app', '1')
    await commit(scene, { version: '1' })
    expectCode(await tallyman.run('apply'), 0)
    await commit(scene, { version: '2', hook: { stage: 'mid', line: 'exit 3' } })
    expectCode(await tallyman.run('apply'), 1)
    await commit(scene, { version: '2', hook: { stage: 'mid', line: 'exit 0' } })
    expectCode(await tallyman.run('apply'), 0)
    expect(await versions(scene)).to.deep.equal(['2'])
  })

  it('H29 after a failed mid hook the daemon starts nothing by itself, while the correction waits for a yes', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', hook: { stage: 'mid', line: 'exit 3' } })
    await daemon.until('it is down', ({ errors }) => errors.some(({ code }) => code === 'quarantined'))
    await commit(scene, { version: '3', skipConfirmation: false })
    const { waiting } = await daemon.until(
      'it waits',
      seen => seen.waiting !== undefined && seen.running === undefined,
    )
    expectCode(await scene.tallyman.run('reconcile'), 0)
    await daemon.until(
      'it still waits',
      seen => seen.waiting?.plan === waiting?.plan && seen.running === undefined,
    )
    expect(await versions(scene)).to.deep.equal([])
    expectCode(await scene.tallyman.run('approve', waiting?.plan ?? ''), 0)
    await runs(scene, '3')
  })

  it('G5 D9 with "drift: report" a revert brings back what tallyman itself stopped', async () => {
    await using scene = await createScene({ config: { drift: 'report' } })
    const { tallyman } = scene
    await scene.push('app', '1')
    await commit(scene, { version: '1' })
    expectCode(await tallyman.run('apply'), 0)
    await commit(scene, { version: '2', hook: { stage: 'mid', line: 'exit 3' } })
    expectCode(await tallyman.run('apply'), 1)
    await commit(scene, { version: '1' })
    expectCode(await tallyman.run('apply'), 0)
    expect(await versions(scene)).to.deep.equal(['1'])
  })

  it('D4 D18 a hook that was not in the approved plan is asked about, and does not run', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    const daemon = await started(scene, { version: '1' })
    const hook = (line: string) => ({ stage: 'pre' as const, line })
    await commit(scene, { version: '2', hook: hook('exit 3'), skipConfirmation: false })
    const first = await daemon.until('it waits', seen => seen.waiting !== undefined)
    expectCode(await tallyman.run('approve', first.waiting?.plan ?? ''), 0)
    await daemon.until('it failed', isQuarantined)
    await commit(scene, { version: '2', hook: hook('exit 0'), skipConfirmation: false })
    const second = await daemon.until('it waits again', seen => seen.waiting !== undefined)
    expect(second.waiting?.plan).not.to.equal(first.waiting?.plan)
    expect(await versions(scene)).to.deep.equal(['1'])
  })

  for (const between of ['2', '3'])
    it(`D4 G5 X18 what was approved and failed asks again if it comes again after version ${between} with another content`, async () => {
      await using scene = await createScene()
      const { tallyman } = scene
      const daemon = await started(scene, { version: '1' })
      const hook = (line: string) => ({ stage: 'pre' as const, line: `echo ${line} >> /log/tries; exit 3` })
      const asks = async (version: string, line: string, before?: StatusDocument) => {
        await commit(scene, { version, hook: hook(line), skipConfirmation: false })
        const isNew = ({ running, waiting }: StatusDocument) =>
          running === undefined && waiting !== undefined && waiting.plan !== before?.waiting?.plan
        return await daemon.until('it waits', isNew)
      }
      const first = await asks('2', 'bad')
      expectCode(await tallyman.run('approve', first.waiting?.plan ?? ''), 0)
      await daemon.until('it failed', isQuarantined)
      await asks('2', 'bad', await asks(between, 'other'))
      const passes = JSON.parse((await tallyman.run('log', '--output', 'json')).stdout)
      expect(
        passes.filter((pass: { readonly outcome: string }) => pass.outcome === 'rolled-back'),
      ).to.have.lengthOf(1)
    })

  it('G5 D18 a commit that only raises the time limit is tried again', async () => {
    await using scene = await createScene()
    const slow = 'trap "exit 0" TERM; sleep 3; touch /tmp/up; sleep 1000000 & wait $!'
    await scene.push('app', '1')
    const parts = { version: '1', cmd: slow, isHealthy: true }
    await commit(scene, { ...parts, strategy: { timeoutSeconds: 1 }, isHealthy: false })
    expectCode(await scene.tallyman.run('apply'), 1)
    expect(documentOf(await scene.tallyman.run('apply', '--output', 'json')).error).to.include({
      code: 'quarantined',
    })
    await commit(scene, { ...parts, strategy: { timeoutSeconds: 2 }, isHealthy: false })
    expect(documentOf(await scene.tallyman.run('apply', '--output', 'json')).error).to.include({
      code: 'health-timeout',
    })
  })

  it('G12 D18 a rollout is not left half-done for a commit that waits for a yes: it comes to its end', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', isHealthy: false })
    await daemon.until('it waits for health', isAtGate)
    await commit(scene, { version: '3', skipConfirmation: false })
    await runs(scene, '1')
    await daemon.until(
      'the newer one waits',
      seen => seen.waiting !== undefined && seen.running === undefined,
    )
    expect(await versions(scene)).to.deep.equal(['1'])
  })

  it('G5 D18 A62 what a stopped daemon left half-done comes to its end, though the newest commit waits for a yes', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', isHealthy: false })
    await daemon.until('it waits for health', isAtGate)
    await daemon.stop()
    expect(await versions(scene)).to.deep.equal(['2'])
    await commit(scene, { version: '3', skipConfirmation: false })
    const again = await scene.tallyman.daemon()
    await again.until('it waits for health again', isAtGate)
    await runs(scene, '1')
    await again.until('the newer one waits', seen => seen.waiting !== undefined && seen.running === undefined)
    const log: readonly { readonly outcome: string }[] = JSON.parse(
      (await scene.tallyman.run('log', '--output', 'json')).stdout,
    )
    expect(log.map(({ outcome }) => outcome)).to.include('rolled-back')
  })

  it('G5 D15 what a stopped daemon left half-done comes to its end, though the newest commit cannot be read', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', isHealthy: false })
    await daemon.until('it waits for health', isAtGate)
    await daemon.stop()
    await scene.repository.commit({ [`environments/${scene.environment}/manifest.json`]: '{' }, 'Break it')
    const again = await scene.tallyman.daemon()
    await runs(scene, '1')
    const { applications } = await again.until('it says why', ({ errors }) =>
      errors.some(({ code }) => code === 'json-invalid'),
    )
    expect(applications.map(({ application }) => application)).to.deep.equal(['web'])
  })

  it('H30 a post hook that failed stays in status until another release or a word', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', hook: { stage: 'post', line: 'echo no index; exit 4' } })
    const isTold = ({ errors }: StatusDocument) => errors.some(({ code }) => code === 'job-failed')
    await daemon.until(
      'it is told',
      seen => isTold(seen) && seen.sync === 'Synced' && seen.running === undefined,
    )
    expectCode(await scene.tallyman.run('reconcile'), 0)
    const { applications } = await daemon.until(
      'it still is',
      seen => isTold(seen) && seen.running === undefined,
    )
    expect(applications[0]?.reason).to.include('no index')
    expectCode(await scene.tallyman.run('retry', 'web'), 0)
    await daemon.until('it is told no more', seen => !isTold(seen) && seen.running === undefined)
    expect(await versions(scene)).to.deep.equal(['2'])
  })

  it('H25 H30 a post hook is ended by the deadline of its rollout, and the new version serves', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    await commit(scene, { version: '1' })
    expectCode(await scene.tallyman.run('apply'), 0)
    await commit(scene, {
      version: '2',
      deadline: 3,
      strategy: { timeoutSeconds: 3 },
      hook: { stage: 'post', line: 'trap "exit 1" TERM; sleep 1000 & wait $!' },
    })
    const late = await scene.tallyman.run('apply', '--output', 'json')
    expect(documentOf(late).error).to.include({ code: 'rollout-timeout' })
    expect(await versions(scene)).to.deep.equal(['2'])
    expectCode(await scene.tallyman.run('apply', '--retry'), 0)
  })
})

/** Whether a rollout waits for what it has begun to become healthy. */
function isAtGate({ running }: StatusDocument): boolean {
  return running?.step?.startsWith('await-healthy') === true
}
