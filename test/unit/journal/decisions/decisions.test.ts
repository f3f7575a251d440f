import { expect } from 'chai'
import type { Approval } from '../../../../lib/journal/decisions/approvals.ts'
import type { ApprovedItem, ApprovedPart } from '../../../../lib/journal/decisions/approved-targets.ts'
import { day, minute, plan } from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

function approval(parts: Partial<Approval> = {}): Approval {
  return {
    environment: 'prod',
    planId: 'plan-1',
    commit: 'c1',
    who: 'ann',
    via: 'terminal',
    parts: on('local', item('shop/web', 'release-1')),
    atMs: 1_000,
    expiresAtMs: 5_000,
    ...parts,
  }
}

function item(resource: string, release: string) {
  return { resource, action: 'replace', release } as const
}

function on(site: string, ...items: readonly ApprovedItem[]): readonly ApprovedPart[] {
  return [{ site, planId: 'plan-1', commit: 'c1', items }]
}

describe('journal: decisions', () => {
  it('D4 gives back what was approved, by whom and until when', () => {
    const journal = memoryJournal()
    journal.approve(approval({ message: 'go' }))
    expect(journal.approvals('prod', 'local', 1_500)).to.deep.equal([
      {
        resource: 'shop/web',
        action: 'replace',
        release: 'release-1',
        planId: 'plan-1',
        commit: 'c1',
        who: 'ann',
        via: 'terminal',
        message: 'go',
        atMs: 1_000,
        expiresAtMs: 5_000,
        wantedSeq: 0,
      },
    ])
    expect(journal.approvals('devel', 'local', 1_500)).to.deep.equal([])
  })

  it('D4 forgets an approval the moment it expires', () => {
    const journal = memoryJournal()
    journal.approve(approval())
    expect(journal.approvals('prod', 'local', 4_999)).to.have.length(1)
    expect(journal.approvals('prod', 'local', 5_000)).to.deep.equal([])
  })

  it('D4 counts on no approval that is yet to be given: the clock was put back, and nobody knows how old it is', () => {
    const journal = memoryJournal()
    journal.approve(approval({ atMs: 400 * day, expiresAtMs: 401 * day }))
    expect(journal.approvals('prod', 'local', 0)).to.deep.equal([])
    expect(journal.approvals('prod', 'local', 400 * day - minute)).to.have.length(1)
  })

  it('D4 lets a later approval take the place of an earlier one for the same service, and of no other', () => {
    const journal = memoryJournal()
    journal.approve(
      approval({ parts: on('local', item('shop/web', 'release-1'), item('shop/db', 'release-1')) }),
    )
    journal.approve(approval({ parts: on('local', item('shop/web', 'release-2')) }))
    const active = () =>
      journal.approvals('prod', 'local', 1_500).map(({ resource, release }) => `${resource} ${release}`)
    expect(active()).to.deep.equal(['shop/db release-1', 'shop/web release-2'])
  })

  it('D4 does not bring an earlier approval back when the one that replaced it expires', () => {
    const journal = memoryJournal()
    journal.approve(approval())
    journal.approve(approval({ parts: on('local', item('shop/web', 'release-2')), expiresAtMs: 2_000 }))
    expect(journal.approvals('prod', 'local', 3_000)).to.deep.equal([])
  })

  it('D4 remembers a discarded plan for its commit alone', () => {
    const journal = memoryJournal()
    journal.discard({ environment: 'prod', planId: 'plan-1', commit: 'c1', who: 'ann', atMs: 1_000 })
    expect(journal.isDiscarded('prod', 'plan-1', 'c1')).to.equal(true)
    expect(journal.isDiscarded('prod', 'plan-1', 'c2')).to.equal(false)
    expect(journal.isDiscarded('prod', 'plan-2', 'c1')).to.equal(false)
    expect(journal.isDiscarded('devel', 'plan-1', 'c1')).to.equal(false)
  })

  for (const [words, said, isOver] of [
    ['ends when somebody rolls back what it changes', { verb: 'rollback', about: 'shop' }, true],
    ['ends when somebody tries it again', { verb: 'retry', about: 'shop' }, true],
    ['ends when somebody resumes the environment', { verb: 'resume' }, true],
    ['ends when somebody redeploys it', { verb: 'redeploy', about: 'all', application: 'shop' }, true],
    ['stays when somebody tries something else again', { verb: 'retry', about: 'wiki' }, false],
    ['stays when somebody suspends it', { verb: 'suspend', about: 'shop' }, false],
  ] as const)
    it(`D4 a rejection ${words}`, () => {
      const journal = memoryJournal()
      journal.setPlan(journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 500 }), plan())
      const who = { who: 'ann', via: 'control' } as const
      journal.recordAnswer({ environment: 'prod', ...said, ...who, atMs: 1_001 })
      journal.discard({ environment: 'prod', planId: 'plan-1', commit: 'c1', who: 'lou', atMs: 1_000 })
      expect(journal.isDiscarded('prod', 'plan-1', 'c1')).to.equal(true)
      // The clock was put back meanwhile.
      journal.recordAnswer({ environment: 'prod', ...said, ...who, atMs: 999 })
      expect(journal.isDiscarded('prod', 'plan-1', 'c1')).to.equal(!isOver)
      expect(journal.wordsOn('prod', 'plan-1').length).to.equal(isOver ? 0 : 1)
    })

  it('D4 a rejection stays when somebody asks for something of its plan that was not rejected', () => {
    const journal = memoryJournal()
    journal.setPlan(journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 500 }), plan())
    const rejected = { environment: 'prod', planId: 'plan-1', commit: 'c1', who: 'lou', atMs: 1_000 }
    journal.discard({ ...rejected, applications: ['wiki'] })
    const retries = (about: string) =>
      journal.recordAnswer({
        ...{ environment: 'prod', verb: 'retry', about },
        ...{ who: 'ann', via: 'control', atMs: 1_001 },
      })
    retries('shop')
    expect(journal.isDiscarded('prod', 'plan-1', 'c1')).to.equal(true)
    retries('wiki')
    expect(journal.isDiscarded('prod', 'plan-1', 'c1')).to.equal(false)
  })

  it('G13 knows since when a plan has waited, however often it is found again', () => {
    const journal = memoryJournal()
    journal.setWaiting({ environment: 'prod', site: 'local', planId: 'plan-1', passId: 1, sinceMs: 1_000 })
    journal.setWaiting({ environment: 'prod', site: 'local', planId: 'plan-1', passId: 2, sinceMs: 2_000 })
    expect(journal.waiting('prod')).to.deep.equal([
      { environment: 'prod', site: 'local', planId: 'plan-1', passId: 1, sinceMs: 1_000 },
    ])
    journal.setWaiting({ environment: 'prod', site: 'local', planId: 'plan-2', passId: 3, sinceMs: 3_000 })
    expect(journal.waiting('prod')[0]?.sinceMs).to.equal(3_000)
    journal.clearWaiting('prod')
    expect(journal.waiting('prod')).to.deep.equal([])
  })

  it('G14 shows a suspension until it is resumed', () => {
    const journal = memoryJournal()
    const suspension = { environment: 'prod', reason: 'stock-taking', who: 'ann', atMs: 1_000 }
    journal.suspend(suspension)
    journal.suspend({ ...suspension, application: 'shop' })
    expect(journal.suspensions('prod', 9_000)).to.deep.equal([
      suspension,
      { ...suspension, application: 'shop' },
    ])
    journal.resume('prod')
    expect(journal.suspensions('prod', 9_000)).to.deep.equal([{ ...suspension, application: 'shop' }])
  })

  it('G14 ends a suspension when its time is over', () => {
    const journal = memoryJournal()
    journal.suspend({ environment: 'prod', reason: 'sale', who: 'ann', atMs: 1_000, untilMs: 2_000 })
    expect(journal.suspensions('prod', 1_999)[0]?.untilMs).to.equal(2_000)
    expect(journal.suspensions('prod', 2_000)).to.deep.equal([])
  })

  it('G5 bars a release of a service until somebody releases it', () => {
    const journal = memoryJournal()
    const barred = {
      environment: 'prod',
      site: 'local',
      application: 'shop',
      service: 'web',
      target: 'target-1',
      release: 'release-1',
      commit: 'c1',
      reason: { code: 'not-healthy', message: 'web.1 exited (1)' },
      atMs: 1_000,
    }
    journal.quarantine({ ...barred, release: 'release-0' })
    journal.quarantine(barred)
    journal.quarantine({ ...barred, application: 'blog' })
    expect(journal.quarantined('prod')).to.deep.equal([{ ...barred, application: 'blog' }, barred])
    expect(journal.releaseQuarantined('prod', 'shop')).to.equal(1)
    expect(journal.releaseQuarantined('devel')).to.equal(0)
    expect(journal.releaseQuarantined('prod')).to.equal(1)
    expect(journal.quarantined('prod')).to.deep.equal([])
  })
})
