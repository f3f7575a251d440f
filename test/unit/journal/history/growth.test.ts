import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mock } from 'node:test'
import { expect } from 'chai'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { desired, live } from '../../../support/builders.ts'
import { planOf } from '../../../support/planning.ts'

/** Tables that grow with everything that was ever done. */
const growing = [
  'pass',
  'plan',
  'plan_change',
  'event',
  'approval',
  'approval_site',
  'approval_plan',
  'approval_target',
]

describe('what each pass writes', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-growth-'))
  })
  afterEach(() => {
    mock.restoreAll()
    rmSync(directory, { recursive: true, force: true })
  })

  it('G24 takes as long however many passes there were: no statement goes through a table that grows with them', () => {
    const prepare = mock.method(DatabaseSync.prototype, 'prepare')
    const file = join(directory, 'tallyman.sqlite')
    const journal = openJournal(file)
    prepare.mock.resetCalls()
    const place = { environment: 'prod', site: 'east' }
    const plan = planOf({ desired: desired({ tag: '2' }), live: live(desired({ tag: '1' })) })
    const { revision } = plan
    const start = { ...place, trigger: 'poll', revision, atMs: 1 } as const
    const end = { outcome: 'in-sync', sync: 'Synced', atMs: 2 } as const
    journal.recordPass(start, end)
    const passId = journal.beginPass(start)
    journal.setPlan(passId, plan)
    journal.approvals('prod', 'east', 1)
    journal.endPass(passId, { ...end, outcome: 'applied' })
    const statements = new Set(prepare.mock.calls.map(call => String(call.arguments[0])))
    journal.close()
    const database = new DatabaseSync(file)
    const scans = [...statements].flatMap(statement =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .map(({ detail }) => String(detail))
        .filter(detail => growing.some(table => detail === `SCAN ${table}`))
        .map(detail => `${detail}: ${statement}`),
    )
    database.close()
    expect(statements.size).to.be.above(5)
    expect(scans).to.deep.equal([])
  })
})
