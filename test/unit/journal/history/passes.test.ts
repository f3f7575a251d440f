import { expect } from 'chai'
import type { PassEnd } from '../../../../lib/journal/history/passes.ts'
import type { StepEvent } from '../../../../lib/state/pass/step-event.ts'
import { event, minute, plan, runPass } from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('journal: passes', () => {
  it('does not grow while nothing changes, and says when it looked last', () => {
    const journal = memoryJournal()
    const ids = Array.from({ length: 500 }, (_, index) => runPass(journal, { atMs: index * minute }))
    expect(new Set(ids)).to.deep.equal(new Set([1]))
    const entries = journal.log({ limit: 10 })
    expect(
      entries.map(({ passId, repeats, startedAtMs, lastSeenAtMs }) => [
        passId,
        repeats,
        startedAtMs,
        lastSeenAtMs,
      ]),
    ).to.deep.equal([[1, 499, 0, 499 * minute + 100]])
  })

  it('never gives a number twice, not even that of a pass it did not keep', () => {
    const journal = memoryJournal()
    runPass(journal)
    runPass(journal)
    expect(journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 1 })).to.equal(3)
  })

  it('counts the first "in-sync" after a deployment to that deployment', () => {
    const journal = memoryJournal()
    const applied = runPass(journal, { plan: plan(), events: [event()], end: { outcome: 'applied' } })
    expect(runPass(journal, { plan: plan({ id: 'empty', changes: [] }) })).to.equal(applied)
  })

  const failed = (message: string): Partial<PassEnd> => ({
    outcome: 'failed',
    sync: 'Unknown',
    error: { code: 'registry-unreachable', message, hint: 'Wait.' },
  })
  const news: readonly (readonly [string, Parameters<typeof runPass>[1], Parameters<typeof runPass>[1]])[] = [
    ['another commit', {}, { commit: 'c2' }],
    ['another environment', {}, { environment: 'devel' }],
    ['another word on sync', {}, { end: { sync: 'OutOfSync' } }],
    ['another plan', { plan: plan() }, { plan: plan({ id: 'plan-2' }) }],
    ['a step that was done', {}, { events: [event()] }],
    ['peace after a failure', { end: failed('down') }, {}],
    ['another failure', { end: failed('down') }, { end: failed('denied') }],
    ['the same deed once more', { end: { outcome: 'applied' } }, { end: { outcome: 'applied' } }],
    [
      'a plan that was declined',
      { end: { outcome: 'needs-confirmation' } },
      { end: { outcome: 'declined' } },
    ],
  ]
  for (const [what, first, second] of news) {
    it(`G25 keeps a pass that tells ${what}`, () => {
      const journal = memoryJournal()
      runPass(journal, first)
      runPass(journal, second)
      expect(journal.log({ limit: 10 })).to.have.length(2)
    })
  }

  it('counts the same failure, the same wait and the same no instead of filling the file', () => {
    const journal = memoryJournal()
    for (const atMs of [0, 1, 2]) runPass(journal, { atMs, end: failed('down') })
    for (const atMs of [3, 4, 5]) {
      runPass(journal, { atMs, plan: plan(), end: { outcome: 'needs-confirmation', sync: 'OutOfSync' } })
    }
    for (const atMs of [6, 7])
      runPass(journal, { atMs, plan: plan(), end: { outcome: 'declined', sync: 'OutOfSync' } })
    expect(journal.log({ limit: 10 }).map(({ outcome, repeats }) => [outcome, repeats])).to.deep.equal([
      ['declined', 1],
      ['needs-confirmation', 2],
      ['failed', 2],
    ])
  })

  it('G1 counts the same failure before anything is touched, and keeps each one after that', () => {
    const journal = memoryJournal()
    const ofStage = (stage: StepEvent['stage']) => [event({ stage })]
    for (const atMs of [0, 1, 2])
      runPass(journal, { atMs, plan: plan(), events: ofStage('prepare'), end: failed('no image') })
    expect(journal.log({ limit: 10 }).map(({ repeats }) => repeats)).to.deep.equal([2])
    for (const atMs of [3, 4])
      runPass(journal, { atMs, plan: plan(), events: ofStage('change'), end: failed('no image') })
    expect(journal.log({ limit: 10 }).map(({ repeats }) => repeats)).to.deep.equal([0, 0, 2])
  })

  it('G25 writes a pass of which nothing was recorded before like one that was recorded from its beginning', () => {
    const journal = memoryJournal()
    const first = runPass(journal)
    const start = { environment: 'prod', site: 'local', trigger: 'poll', atMs: 2_000 }
    const end = { outcome: 'in-sync', sync: 'Synced', atMs: 2_100 } as const
    const { revision: seen } = journal.show(first) ?? {}
    const revision = { ref: 'main', author: '', subject: '', time: '', ...seen, commit: 'c1' }
    expect(journal.recordPass({ ...start, revision }, end)).to.equal(first)
    const news = journal.recordPass({ ...start, revision: { ...revision, commit: 'c2' } }, end)
    expect(news).to.equal(2)
    expect(journal.show(2)).to.include({ environment: 'prod', trigger: 'poll', startedAtMs: 2_000 })
    const known = journal.log({ limit: 10 })
    expect(known.map(({ passId, repeats, outcome }) => [passId, repeats, outcome])).to.deep.equal([
      [2, 0, 'in-sync'],
      [1, 1, 'in-sync'],
    ])
  })

  it('G25 writes what goes with the end of a pass together with it, or neither', () => {
    const journal = memoryJournal()
    const end = { outcome: 'in-sync', sync: 'Synced', atMs: 9 } as const
    const fails = () => {
      throw new RangeError('too long')
    }
    const start = { environment: 'prod', site: 'local', trigger: 'poll', atMs: 5 }
    expect(() => journal.recordPass(start, end, fails)).to.throw('too long')
    const begun = journal.beginPass(start)
    expect(() => journal.endPass(begun, end, fails)).to.throw('too long')
    expect(journal.log({ limit: 10 }).map(({ outcome }) => outcome)).to.deep.equal(['running'])
  })

  it('leaves a waiting plan with a pass that can be shown', () => {
    const journal = memoryJournal()
    const end = { outcome: 'needs-confirmation', sync: 'OutOfSync', atMs: 9 } as const
    runPass(journal, { plan: plan(), end })
    const second = journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 5 })
    journal.setPlan(second, plan())
    journal.setWaiting({ environment: 'prod', site: 'local', planId: 'plan-1', passId: second, sinceMs: 5 })
    journal.endPass(second, end)
    expect(journal.show(journal.waiting('prod')[0]?.passId ?? 0)?.plan?.id).to.equal('plan-1')
  })

  it('shows a pass without an end as running while its process lives', () => {
    const journal = memoryJournal()
    journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 1 })
    expect(journal.log({ limit: 1 })[0]?.outcome).to.equal('running')
  })
})
