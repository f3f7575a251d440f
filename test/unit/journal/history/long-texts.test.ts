import { expect } from 'chai'
import { change } from '../../../support/builders/builders.ts'
import { earlierJournal } from '../../../support/memory/memory-journal.ts'

/** The tables before what is long had a place of its own. */
const before = 52

describe('what is long in a journal of before', () => {
  it('G18 G25 is there after the update: plans with their passes and changes, states, routes and placements', () => {
    const journal = earlierJournal(before, old => {
      const web = change({ application: 'web', service: 'web' })
      const plan = JSON.stringify({ id: 'p1', environment: 'prod', changes: [web] })
      old.exec('PRAGMA foreign_keys = ON')
      old.prepare("INSERT INTO plan VALUES ('p1', ?, 1, 0, 0, 0, 0)").run(plan)
      old.exec(`
        INSERT INTO plan_change VALUES ('p1', 'local', 'web', 'web', 'create', 'r1');
        INSERT INTO pass (environment, site, triggered_by, writer, pid, started_at, ended_at, seen_at, revision, commit_id, plan_id, outcome, sync)
          VALUES ('prod', 'local', 'poll', 'w', 1, 1, 2, 2, '{"commit":"c1"}', 'c1', 'p1', 'applied', 'Synced');
        INSERT INTO last_state VALUES ('prod', 'local', '{"sync":"Synced"}', 7);
        INSERT INTO route VALUES ('prod', 'local', '[]');
        INSERT INTO placement (environment, deployment, body, sites, canaries) VALUES ('prod', 'fleet', '{}', '[]', '[]');
      `)
    })
    expect(journal.show(1)?.plan?.changes.map(({ application }) => application)).to.deep.equal(['web'])
    expect(journal.log({ limit: 9, application: 'web' }).map(({ passId }) => passId)).to.deep.equal([1])
    expect(journal.keptState('prod', 'local')).to.deep.include({ state: { sync: 'Synced' }, seenMs: 7 })
  })
})
