import { expect } from 'chai'
import { change, plan, runPass } from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const approval = {
  environment: 'prod',
  planId: 'plan-1',
  commit: 'c1',
  parts: [],
  expiresAtMs: 9_000,
} as const

describe('journal: words on a plan', () => {
  it('D4 gives what people said to a plan, the newest first, and not what a manifest said', () => {
    const journal = memoryJournal()
    journal.approve({ ...approval, who: 'manifest', via: 'skipConfirmation', atMs: 3_000 })
    journal.approve({ ...approval, who: 'ann', via: 'control', message: 'go', atMs: 1_000 })
    journal.discard({ environment: 'prod', planId: 'plan-1', commit: 'c2', who: 'bob', atMs: 2_000 })
    expect(journal.wordsOn('prod', 'plan-1')).to.deep.equal([
      { word: 'discarded', commit: 'c2', who: 'bob', atMs: 2_000 },
      { word: 'approved', commit: 'c1', who: 'ann', message: 'go', atMs: 1_000 },
    ])
    expect(journal.wordsOn('devel', 'plan-1')).to.deep.equal([])
  })

  it('D4 G13 gives what a person approved last by the id of a plan, of one site or of several, by site', () => {
    const journal = memoryJournal()
    const item = { resource: 'shop/web', action: 'replace', release: 'r1' } as const
    const on = (site: string, release = 'r1') => ({
      ...{ site, planId: `plan of ${site}`, commit: 'c1', items: [{ ...item, release }] },
    })
    const ann = { ...approval, who: 'ann', via: 'control' } as const
    journal.approve({ ...ann, parts: [on('a', 'r0')], atMs: 1_000 })
    journal.approve({ ...ann, parts: [on('a'), on('b')], atMs: 2_000 })
    journal.approve({ ...ann, who: 'manifest', via: 'skipConfirmation', parts: [on('c')], atMs: 3_000 })
    const web = { application: 'shop', service: 'web', release: 'r1', isRemoved: false, atMs: 2_000 }
    const both = [
      ['a', [{ site: 'a', ...web }]],
      ['b', [{ site: 'b', ...web }]],
    ]
    expect([...journal.approvedBy('prod', 'plan-1')]).to.deep.equal(both)
    expect([...journal.approvedBy('prod', 'plan of b')]).to.deep.equal(both)
    expect([...journal.approvedBy('devel', 'plan-1')]).to.deep.equal([])
  })

  it('D4 knows when the pass of a plan ended, however long the same was seen afterwards', () => {
    const journal = memoryJournal()
    const passId = journal.beginPass({ environment: 'prod', trigger: 'command', atMs: 1_000 })
    journal.setPlan(passId, plan())
    journal.beginIn(passId, 'prod', [change()], 1_500)
    journal.endPass(passId, { outcome: 'applied', sync: 'Synced', atMs: 2_000 })
    const later = journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 8_000 })
    journal.setRevision(later, plan().revision)
    expect(journal.endPass(later, { outcome: 'in-sync', sync: 'Synced', atMs: 9_000 })).to.equal(passId)
    expect(journal.passOfPlan('prod', 'plan-1')).to.deep.equal({
      passId,
      commit: 'c1',
      hasBegun: true,
      outcome: 'applied',
      atMs: 9_000,
      endedMs: 2_000,
    })
  })

  it('D4 knows the newest pass of a plan, and whether it has ended', () => {
    const journal = memoryJournal()
    const first = runPass(journal, {
      plan: plan(),
      end: { outcome: 'needs-confirmation', sync: 'OutOfSync' },
    })
    expect(journal.passOfPlan('prod', 'plan-1')).to.deep.equal({
      passId: first,
      commit: 'c1',
      hasBegun: false,
      outcome: 'needs-confirmation',
      atMs: 1_100,
      endedMs: 1_100,
    })
    const second = journal.beginPass({ environment: 'prod', trigger: 'command', atMs: 2_000 })
    journal.setPlan(second, plan())
    expect(journal.passOfPlan('prod', 'plan-1')).to.deep.equal({
      passId: second,
      commit: 'c1',
      hasBegun: false,
      atMs: 2_000,
    })
    expect(journal.passOfPlan('prod', 'plan-2')).to.equal(undefined)
  })

  it('D4 the log tells who discarded a plan, and with what message', () => {
    const journal = memoryJournal()
    runPass(journal, { plan: plan(), end: { outcome: 'declined', sync: 'OutOfSync' } })
    journal.discard({
      environment: 'prod',
      planId: 'plan-1',
      commit: 'c1',
      who: 'bob',
      message: 'no',
      atMs: 2_000,
    })
    expect(journal.log({ limit: 1 })[0]?.discardedBy).to.deep.equal({
      who: 'bob',
      message: 'no',
      atMs: 2_000,
    })
  })
})

describe('journal: the last state', () => {
  it('G13 is kept for each environment, and its age grows only while what runs is not seen', () => {
    const journal = memoryJournal()
    journal.keepState('prod', 'local', { sync: 'Synced' }, 1_000)
    journal.keepState('prod', 'local', { sync: 'Synced' }, 2_000)
    expect(journal.keptStates('prod')).to.deep.equal([
      { site: 'local', state: { sync: 'Synced' }, seenMs: 2_000 },
    ])
    journal.keepState('prod', 'local', { sync: 'Unknown' })
    expect(journal.keptStates('prod')).to.deep.equal([
      { site: 'local', state: { sync: 'Unknown' }, seenMs: 2_000 },
    ])
    journal.keepState('devel', 'local', { sync: 'Unknown' })
    expect(journal.keptStates('devel')).to.deep.equal([
      { site: 'local', state: { sync: 'Unknown' }, seenMs: 0 },
    ])
  })

  it('knows the names that history knows, also of what is long gone', () => {
    const journal = memoryJournal()
    runPass(journal, { plan: plan() })
    journal.suspend({ environment: 'devel', application: 'cart', reason: 'x', who: 'ann', atMs: 1 })
    expect(journal.knownEnvironments()).to.deep.equal(['devel', 'prod'])
    expect(journal.knownApplications()).to.deep.equal(['cart', 'shop'])
    expect(journal.knownApplications('prod')).to.deep.equal(['shop'])
  })

  it('G13 knows the sites of its environments, also those over which no pass is on record any more', () => {
    const journal = memoryJournal()
    runPass(journal, { site: 'gone' })
    journal.endPass(journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 1 }), {
      ...{ outcome: 'failed', sync: 'Unknown', atMs: 2 },
    })
    for (const site of ['', 'seen']) journal.keepState('prod', site, {}, 1)
    journal.setServed('prod', 'engine-1', { site: 'served', endpoint: '' })
    const applied = { application: 'shop', service: 'web', target: 't1', commit: 'c1', atMs: 1 }
    journal.setApplied({ environment: 'test', site: 'applied', ...applied })
    expect(journal.knownSites()).to.deep.equal(['applied', 'gone', 'seen', 'served'])
    expect(journal.knownSites('prod')).to.deep.equal(['gone', 'seen', 'served'])
    expect(journal.knownSites('test')).to.deep.equal(['applied'])
  })

  it('G13 knows networks, volumes, images and files that a plan removes as no applications', () => {
    const journal = memoryJournal()
    const removals = [
      change({ application: 'prod.shop', service: 'network prod.shop', action: 'remove' }),
      change({ application: 'prod.shop-data', service: 'volume prod.shop-data', action: 'remove' }),
      change({ application: 'old images', service: 'old images', action: 'remove' }),
      change({ application: 'unneeded files', service: 'unneeded files', action: 'remove' }),
    ]
    runPass(journal, { plan: plan({ changes: [change(), ...removals] }) })
    expect(journal.knownApplications()).to.deep.equal(['shop'])
    expect(journal.knownApplications('prod')).to.deep.equal(['shop'])
  })
})
