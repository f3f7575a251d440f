import { expect } from 'chai'
import type { Journal } from '../../../../lib/journal/journal.ts'
import { day, event, minute, plan, runPass } from '../../../support/builders/journal-builders.ts'
import { earlierJournal, memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('journal: how much history is kept', () => {
  it('removes what is older than its retention, a few at a time, and the plans nobody else made', () => {
    const journal = memoryJournal({ retention: { ageMs: 10 * day, passes: 100 } })
    const old = runPass(journal, { plan: plan(), events: [event()], end: { outcome: 'applied' } })
    runPass(journal, { atMs: 5 * day, commit: 'c2' })
    for (const [verb, atMs] of [
      ['suspend', 0],
      ['resume', 5 * day],
    ] as const)
      journal.recordAnswer({ environment: 'prod', verb, who: 'ann', via: 'control', atMs })
    for (let hour = 0; hour < 10; hour += 1)
      runPass(journal, { atMs: 11 * day + hour * 60 * minute, commit: `h${hour}` })
    expect(journal.show(old)).to.equal(undefined)
    expect(journal.answers({ limit: 10 }).map(({ verb }) => verb)).to.deep.equal(['resume'])
    expect(journal.log({ limit: 20 }).map(({ passId }) => passId)).to.deep.equal([
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
    ])
  })

  it('G25 keeps what a clock makes old that is put forward for a while', () => {
    const journal = memoryJournal({ retention: { ageMs: 10 * day, passes: 100 } })
    for (let hour = 0; hour < 10; hour += 1)
      runPass(journal, { atMs: hour * 60 * minute, commit: `h${hour}` })
    for (const commit of ['f1', 'f2', 'f3']) runPass(journal, { atMs: 400 * day, commit })
    runPass(journal, { atMs: day, commit: 'back' })
    expect(journal.log({ limit: 20 })).to.have.length(14)
  })

  it('G25 keeps what a clock makes old that is put forward for a pass or two, however many sites see it', () => {
    const journal = memoryJournal({ retention: { ageMs: 10 * day, passes: 1_000 } })
    const over = (atMs: number, commit: string) => {
      for (let store = 1; store <= 12; store += 1) runPass(journal, { site: `store-${store}`, atMs, commit })
    }
    over(0, 'c1')
    journal.discard({ environment: 'prod', planId: 'plan-1', commit: 'c1', who: 'ann', atMs: 0 })
    over(400 * day, 'f1')
    over(400 * day, 'f2')
    expect(journal.log({ limit: 100 })).to.have.length(36)
    expect(journal.isDiscarded('prod', 'plan-1', 'c1')).to.equal(true)
  })

  it('G25 keeps the newest pass over a site whatever its age, however much happens on other sites', () => {
    const journal = memoryJournal({ retention: { ageMs: day, passes: 100 } })
    runPass(journal, { site: 'quiet' })
    for (let number = 1; number <= 20; number += 1)
      runPass(journal, { site: 'busy', commit: `c${number}`, atMs: 400 * day })
    expect(idsOf(journal, 'quiet')).to.deep.equal([1])
  })

  it('G25 keeps no more passes than its retention says, and makes room where there are most', () => {
    const journal = memoryJournal({ retention: { ageMs: day, passes: 6 } })
    const over = (site: string, commits: readonly string[]) =>
      commits.map(commit => runPass(journal, { site, commit }))
    over('quiet', ['c1', 'c2'])
    over('busy', ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'])
    expect(idsOf(journal)).to.deep.equal([9, 8, 7, 6, 2, 1])
    over('new', ['c1'])
    expect(idsOf(journal)).to.deep.equal([10, 9, 8, 7, 2, 1])
  })

  it('G25 has room for as many of each site as of the others, if much happens on all of them', () => {
    const journal = memoryJournal({ retention: { ageMs: day, passes: 12 } })
    for (let number = 1; number <= 10; number += 1) {
      for (const environment of ['prod', 'test'])
        for (const site of ['east', 'west']) runPass(journal, { environment, site, commit: `c${number}` })
    }
    const entries = journal.log({ limit: 100 })
    expect(entries.map(({ environment, site }) => `${environment} ${site}`).sort()).to.deep.equal([
      ...['prod east', 'prod east', 'prod east', 'prod west', 'prod west', 'prod west'],
      ...['test east', 'test east', 'test east', 'test west', 'test west', 'test west'],
    ])
  })

  it('G25 keeps one pass of each site, also if there are more sites than its retention has passes', () => {
    const journal = memoryJournal({ retention: { ageMs: day, passes: 2 } })
    for (const commit of ['c1', 'c2']) for (const site of ['a', 'b', 'c']) runPass(journal, { site, commit })
    expect(idsOf(journal)).to.deep.equal([6, 5, 4])
  })

  it('G25 counts no pass that is not kept because it says the same as the one before it', () => {
    const journal = memoryJournal({ retention: { ageMs: day, passes: 3 } })
    const first = runPass(journal, { site: 'quiet' })
    for (let number = 1; number <= 5; number += 1) runPass(journal, { site: 'quiet' })
    for (const commit of ['c1', 'c2']) runPass(journal, { site: 'busy', commit })
    expect(idsOf(journal)).to.deep.equal([8, 7, first])
  })

  it('G25 knows after an update how many passes each site has, and removes a few of too many at a time', () => {
    const journal = earlierJournal(
      uncounted,
      old => {
        for (let id = 1; id <= 70; id += 1) old.exec(pass(id, id <= 3 ? 'quiet' : 'busy'))
      },
      { retention: { ageMs: day, passes: 10 } },
    )
    runPass(journal, { site: 'other' })
    expect(idsOf(journal)).to.have.length(21)
    expect(idsOf(journal, 'quiet')).to.deep.equal([3, 2, 1])
    runPass(journal, { site: 'other', commit: 'c2' })
    expect(idsOf(journal)).to.deep.equal([72, 71, 70, 69, 68, 67, 66, 3, 2, 1])
  })
})

/** How many migrations the journal of a version had that counted no passes. */
const uncounted = 49

function pass(id: number, site: string): string {
  return `INSERT INTO pass (id, environment, site, triggered_by, writer, pid, started_at, ended_at, seen_at, outcome, sync)
    VALUES (${id}, 'prod', '${site}', 'poll', 'w', 1, ${id}, ${id}, ${id}, 'applied', 'Synced')`
}

function idsOf(journal: Journal, site?: string): readonly number[] {
  return journal.log({ limit: 1_000, ...(site === undefined ? {} : { site }) }).map(({ passId }) => passId)
}
