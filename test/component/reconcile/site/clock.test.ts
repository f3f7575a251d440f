import { expect } from 'chai'
import { beginJob } from '../../../../lib/reconcile/site/apply/begin-job.ts'
import { elapsedMs } from '../../../../lib/reconcile/site/apply/elapsed.ts'
import { createSiteMemory } from '../../../../lib/reconcile/site/site-memory.ts'
import { change } from '../../../support/builders/builders.ts'
import { type MemoryDaemon, manifestOf, memoryDaemon } from '../../../support/memory/memory-daemon.ts'

const dayMs = 86_400_000

/** A clock that tells the wrong time of day, and a steady one that is right. */
function clocks(timeOfDay: string) {
  let nowMs = Date.parse(timeOfDay)
  let steadyMs = 1_000
  return {
    clock: { nowMs: () => nowMs, steadyMs: () => steadyMs },
    pass: (ms: number) => {
      nowMs += ms
      steadyMs += ms
    },
    put: (ms: number) => {
      nowMs += ms
    },
  }
}

const said = async (daemon: MemoryDaemon) => (await daemon.ask('GET /api/v1/environments'))[0]

describe('a clock that is put forward 400 days and back', () => {
  const files = (tag: string) => manifestOf('prod', { web: tag })

  it('G18 keeps no commit from being followed', async () => {
    const { clock, pass, put } = clocks('2026-03-01T12:00:00Z')
    await using daemon = await memoryDaemon({ files: files('1'), clock })
    put(400 * dayMs)
    await daemon.pass()
    put(-400 * dayMs)
    pass(1_000)
    daemon.commit(files('2'), '3'.repeat(40))
    await daemon.pass()
    expect((await said(daemon)).revision.commit).to.equal('3'.repeat(40))
  })

  it('X18 D4 counts what is approved after it was put back, of a version that came again before', async () => {
    const { clock, pass, put } = clocks('2026-03-01T12:00:00Z')
    await using daemon = await memoryDaemon({ files: files('1'), clock })
    for (const [at, tag] of [...'121'].entries()) {
      pass(1_000)
      daemon.commit(files(tag), String(at + 3).repeat(40))
      await daemon.pass()
    }
    put(-400 * dayMs)
    await daemon.pass()
    await daemon.ask(`POST /api/v1/plans/${(await said(daemon)).waiting.plan}/approve`, { who: 'ann' })
    await daemon.pass()
    expect((await said(daemon)).sync).to.equal('Synced')
  })

  it('D4 asks again about what was declined before it was put back, where somebody asks for it since', async () => {
    const { clock, put } = clocks('2026-03-01T12:00:00Z')
    await using daemon = await memoryDaemon({ files: files('1'), clock })
    await daemon.pass()
    const { waiting } = await said(daemon)
    await daemon.ask(`POST /api/v1/plans/${waiting.plan}/discard`, { who: 'ann' })
    put(-400 * dayMs)
    await daemon.pass()
    expect((await said(daemon)).waiting).to.equal(undefined)
    await daemon.ask('POST /api/v1/retry', { who: 'ben', environment: 'prod' })
    await daemon.pass()
    expect((await said(daemon)).waiting.plan).to.equal(waiting.plan)
  })

  it('D4 leaves no word in force that nobody knows the age of, and takes a new one', async () => {
    const { clock, pass, put } = clocks('2026-03-01T12:00:00Z')
    await using daemon = await memoryDaemon({ files: files('1'), clock })
    put(400 * dayMs)
    await daemon.pass()
    const { waiting } = await said(daemon)
    const word = { environment: 'prod', planId: waiting.plan, commit: '1'.repeat(40), who: 'ann' }
    const expiresAtMs = clock.nowMs() + dayMs
    daemon.journal.approve({ ...word, via: 'control', parts: [], atMs: clock.nowMs(), expiresAtMs })
    put(-400 * dayMs)
    pass(1_000)
    await daemon.pass()
    expect((await said(daemon)).waiting.plan).to.equal(waiting.plan)
    pass(1_000)
    await daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ben' })
    await daemon.pass()
    expect((await said(daemon)).sync).to.equal('Synced')
  })

  it('G12 ends no rollout early: one that goes on took as long as it took', () => {
    const { clock, pass, put } = clocks('2026-03-01T12:00:00Z')
    const site = { world: clock, memory: createSiteMemory() }
    const one = change()
    const attempt = {
      target: one.target,
      release: one.release,
      phase: 'open',
      begunAtMs: clock.nowMs(),
    } as const
    expect(elapsedMs(site, attempt, one)).to.equal(0)
    put(400 * dayMs)
    pass(5_000)
    expect(elapsedMs(site, attempt, one)).to.equal(5_000)
    put(-800 * dayMs)
    expect(elapsedMs(site, attempt, one)).to.equal(5_000)
    expect(elapsedMs({ ...site, memory: createSiteMemory() }, attempt, one)).to.equal(0)
  })

  it('H4 X12 gives a hook no more time than it had when it began, whoever goes on with it', () => {
    const { clock, pass, put } = clocks('2026-03-01T12:00:00Z')
    const site = { world: clock, memory: createSiteMemory() }
    const mid = {
      do: 'run-to-end',
      job: 'mid',
      container: 'web.mid',
      onFailure: 'retry',
      timeoutMs: 600_000,
    } as const
    const noted: unknown[] = []
    const begins = (attempt: Parameters<typeof beginJob>[1], where = site) =>
      beginJob(where, attempt, change({ noReturnAt: 0 }), mid, (...begun) => noted.push(begun))
    const job = { name: 'web.mid', begunAtMs: clock.nowMs(), isOver: false }
    expect(begins({})).to.equal(0)
    expect(noted, 'H29 written down before it runs').to.deep.equal([[job, true]])
    put(400 * dayMs)
    pass(540_000)
    const known = { job, noReturn: true } as const
    expect(begins(known), 'by the next pass').to.equal(540_000)
    put(-400 * dayMs)
    expect(begins(known, { ...site, memory: createSiteMemory() }), 'by the next process').to.equal(540_000)
    expect(noted, 'once').to.have.length(1)
    expect(begins({ job: { ...job, name: 'web.pre' } }), 'another job').to.equal(0)
    expect(noted).to.have.length(2)
  })
})
