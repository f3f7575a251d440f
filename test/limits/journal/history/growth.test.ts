import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mock } from 'node:test'
import { expect } from 'chai'
import { defaultRetention } from '../../../../lib/journal/history/retention.ts'
import { type Journal, type JournalOptions, openJournal } from '../../../../lib/journal/journal.ts'
import { desired, live } from '../../../support/builders/builders.ts'
import { runPass } from '../../../support/builders/journal-builders.ts'
import { planOf } from '../../../support/builders/planning.ts'

/** Tables that grow with everything that was ever done. */
const growing = [
  'pass',
  'pass_count',
  'plan',
  'plan_change',
  'event',
  'approval',
  'approval_site',
  'approval_plan',
  'approval_target',
]

describe('what each pass writes and reads', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-growth-'))
  })
  afterEach(() => {
    mock.restoreAll()
    rmSync(directory, { recursive: true, force: true })
  })

  it('G24 takes as long however many passes there were: no statement goes through a table that grows with them', () => {
    const place = { environment: 'prod', site: 'east' }
    const plan = planOf({ desired: desired({ tag: '2' }), live: live(desired({ tag: '1' })) })
    const { revision } = plan
    const start = { ...place, trigger: 'poll', revision, atMs: 1 } as const
    const end = { outcome: 'in-sync', sync: 'Synced', atMs: 2 } as const
    const steps = stepsOfFull(journal => {
      journal.recordPass(start, end)
      const passId = journal.beginPass(start)
      journal.setPlan(passId, plan)
      journal.approvals('prod', 'east', 1)
      journal.endPass(passId, { ...end, outcome: 'applied' })
    })
    expect(new Set(steps.map(({ statement }) => statement)).size).to.be.above(5)
    expect(steps.map(({ statement }) => statement).join()).to.include('DELETE FROM pass WHERE')
    const goesThroughIt = new RegExp(`^SCAN (${growing.join('|')})\\b`)
    expect(steps.filter(({ detail }) => goesThroughIt.test(detail))).to.deep.equal([])
    const sorted = steps.filter(({ detail }) => detail.startsWith('USE TEMP B-TREE'))
    expect(sorted.filter(({ statement }) => /FROM pass/.test(statement))).to.deep.equal([])
  })

  it('G17 A33 takes as long however many sites have a version: of a run, only failures and words since it last went on are read', () => {
    const steps = stepsOf(journal => journal.judgedRuns('prod', 'shop'))
    const ofFacts = steps.map(({ detail }) => detail).filter(detail => detail.includes('run_fact'))
    expect(ofFacts).to.deep.equal([
      'SEARCH run_fact USING INDEX run_fact_judged (run_id=? AND id>?) LEFT-JOIN',
      'SEARCH run_fact USING INDEX run_fact_judged (run_id=?)',
    ])
  })

  it('G17 takes as long however many sites there are: nothing that is done for one of them goes through those of all', () => {
    const place = { environment: 'prod', site: 'east' }
    const plan = planOf({ desired: desired({ tag: '2' }), live: live(desired({ tag: '1' })) })
    const { revision } = plan
    const steps = stepsOfFull(journal => {
      journal.setServed('prod', 'engine-1', { site: 'east', endpoint: 'tcp://east:2376' })
      journal.servedAs('prod', 'engine-1')
      journal.engineServed('prod', 'east')
      journal.endForced({ environment: 'prod', application: 'shop', version: '2.0', site: 'east', entry: 1 })
      journal.queueWords('prod', 'east')
      journal.keptState('prod', 'east')
      journal.recordPass(
        { ...place, trigger: 'poll', revision, atMs: 1 },
        { outcome: 'in-sync', sync: 'Synced', atMs: 2 },
      )
    })
    const goesThroughAll = /^SCAN (?!CONSTANT|\(subquery)|\(environment=\?\)$/
    expect(steps.filter(({ detail }) => goesThroughAll.test(detail))).to.deep.equal([])
  })

  it('G24 takes as long however much happened before: who follows steps reads those that are new', () => {
    const steps = stepsOf(journal => journal.stepsAfter('prod', 1)).map(({ detail }) => detail)
    expect(steps).to.deep.equal([
      'SEARCH event',
      'SEARCH event USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
      'SEARCH pass USING COVERING INDEX pass_by_environment (environment=? AND id=? AND rowid=?)',
    ])
  })

  it('G24 takes as long however many services were ever changed: what is under way is found by itself', () => {
    const steps = stepsOf(journal => journal.openAttempts('prod')).map(({ detail }) => detail)
    expect(steps).to.deep.equal(['SEARCH attempt USING INDEX attempt_open (environment=?)'])
  })

  /** How SQLite carries out the statements of this work in a journal that is full, so that each pass takes the room of another. */
  function stepsOfFull(work: (journal: Journal) => void) {
    return stepsOf(
      journal => {
        runPass(journal, { site: 'east' })
        work(journal)
        runPass(journal, { site: 'east', commit: 'c2' })
      },
      { retention: { ...defaultRetention, passes: 1 } },
    )
  }

  /** How SQLite carries out the statements of this work. */
  function stepsOf(work: (journal: Journal) => void, options: JournalOptions = {}) {
    const prepare = mock.method(DatabaseSync.prototype, 'prepare')
    const file = join(directory, 'tallyman.sqlite')
    const journal = openJournal(file, options)
    prepare.mock.resetCalls()
    work(journal)
    const statements = new Set(prepare.mock.calls.map(call => String(call.arguments[0])))
    journal.close()
    const database = new DatabaseSync(file)
    const steps = [...statements].flatMap(statement =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .map(({ detail }) => ({ detail: String(detail), statement })),
    )
    database.close()
    return steps
  }
})
