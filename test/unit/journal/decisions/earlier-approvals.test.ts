import { expect } from 'chai'
import { earlierJournal } from '../../../support/memory/memory-journal.ts'

/** A journal in which an earlier version kept a row for each change on each site. */
function earlier() {
  return earlierJournal(9, old =>
    old.exec(`
    INSERT INTO approval VALUES
      (1, 'prod', 'plan-1', 'c1', 'ann', 'control', 'go', 1000, 5000),
      (2, 'prod', 'plan-2', 'c2', 'bob', 'terminal', NULL, 2000, 6000),
      (3, 'prod', 'together', 'c2', 'bob', 'terminal', NULL, 2000, 6000);
    INSERT INTO approval_item VALUES
      (1, 'prod', 'a', 'shop/web', 'replace', 'release-1', 1),
      (1, 'prod', 'a', 'shop/db', 'replace', 'release-1', 0),
      (1, 'prod', 'b', 'shop/web', 'replace', 'release-1', 0),
      (2, 'prod', 'a', 'shop/web', 'replace', 'release-2', 0),
      (2, 'prod', 'a', 'old/network old', 'remove', 'absent', 0);
    INSERT INTO discard VALUES ('prod', 'plan-4', 'c2', 'lou', NULL, 2000);
    INSERT INTO pass (id, environment, site, triggered_by, writer, pid, started_at, seen_at)
      VALUES (1, 'prod', 'a', 'poll', 'writer', 1, 1500, 1500);
    INSERT INTO event (pass_id, at, site, application, service, step, stage, phase)
      VALUES (1, 1500, 'a', 'shop', 'db', 'start', 'change', 'done');
  `),
  )
}

describe('journal: approvals of an earlier version', () => {
  it('D4 stay in force, bound to what they were, and what was replaced stays so', () => {
    const journal = earlier()
    const approved = (site: string, nowMs: number) =>
      journal
        .approvals('prod', site, nowMs)
        .map(
          ({ who, planId, action, resource, release }) =>
            `${who} ${planId}: ${action} ${resource} ${release}`,
        )
    expect(approved('a', 2_500)).to.deep.equal([
      'ann plan-1: replace shop/db release-1',
      'bob plan-2: remove old/network old absent',
      'bob plan-2: replace shop/web release-2',
    ])
    expect(approved('b', 2_500)).to.deep.equal(['ann plan-1: replace shop/web release-1'])
    expect(approved('b', 5_000)).to.deep.equal([])
    expect(journal.wordsOn('prod', 'together').map(({ who }) => who)).to.deep.equal(['bob'])
  })

  it('D4 can be taken back where nothing of them has begun', () => {
    const journal = earlier()
    expect(journal.takeBackApprovals('prod', ['plan-1'], 2_500)).to.deep.equal({
      plans: [{ site: 'b', planId: 'plan-1', commit: 'c1', applications: ['shop'] }],
      begun: ['a'],
    })
  })

  it('X18 D4 and rejections go by the times where nothing else is known of what came later', () => {
    const journal = earlier()
    expect(journal.approvals('prod', 'b', 2_500).map(given => [given.atMs, given.wantedSeq])).to.deep.equal([
      [1_000, undefined],
    ])
    const retry = (atMs: number) =>
      journal.recordAnswer({ environment: 'prod', verb: 'retry', who: 'ann', via: 'control', atMs })
    retry(1_999)
    expect(journal.isDiscarded('prod', 'plan-4', 'c2')).to.equal(true)
    retry(2_001)
    expect(journal.isDiscarded('prod', 'plan-4', 'c2')).to.equal(false)
  })

  it('G25 are told of the passes of then', () => {
    const journal = earlierJournal(26, old =>
      old.exec(`
      INSERT INTO identity (id) VALUES ('journal');
      INSERT INTO plan VALUES ('plan-1', '{}', 0, 1, 0, 0, 0);
      INSERT INTO plan_change VALUES ('plan-1', 'a', 'shop', 'web', 'replace', 'release-1');
      INSERT INTO approval VALUES (1, 'prod', 'plan-1', 'c1', 'ann', 'control', 'go', 1000, 5000);
      INSERT INTO approval_target VALUES (1, 0, 'web', 'replace', 'release-1');
      INSERT INTO approval_site VALUES ('prod', 'a', 'shop', 1, 0, 5000, 0, 1);
      INSERT INTO pass (id, environment, site, triggered_by, writer, pid, started_at, ended_at, seen_at, plan_id, outcome)
        VALUES (1, 'prod', 'a', 'poll', 'writer', 1, 1500, 1600, 1600, 'plan-1', 'applied'),
          (2, 'prod', 'a', 'poll', 'writer', 1, 5500, 5600, 5600, 'plan-1', 'applied');
    `),
    )
    const told = journal.log({ limit: 10 })
    expect(told.map(({ passId, approvedBy }) => [passId, ...approvedBy.map(({ who }) => who)])).to.deep.equal(
      [[2], [1, 'ann']],
    )
  })
})
