import { expect } from 'chai'
import { underWayNow } from '../../../../lib/reconcile/status/under-way-now.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('what has begun and is not over', () => {
  it('G13 A25 is told of the sites that are there, and of none that is gone or has another name now', () => {
    const journal = memoryJournal()
    for (const site of ['near', 'gone'])
      journal.beginAttempt({
        ...{ environment: 'prod', site, application: 'web', service: 'web', target: 't2', release: 'r2' },
        ...{ of: { version: '2', commit: 'c2' }, atMs: Date.parse('2026-03-01T11:00:00Z') },
      })
    expect(underWayNow(journal, 'prod', new Set(['near', 'far']))).to.deep.equal([
      { site: 'near', application: 'web', version: '2', since: '2026-03-01T11:00:00.000Z' },
    ])
  })
})
