import { expect } from 'chai'
import { approve } from '../../../lib/answers/approve.ts'
import { discard } from '../../../lib/answers/discard.ts'
import type { Audience } from '../../../lib/answers/subject/subject.ts'
import { change } from '../../support/builders/builders.ts'
import { refused } from '../../support/failures/refused.ts'
import {
  ann,
  item,
  memoryAudience,
  memorySubject,
  part,
  saidMs,
  waitingPlan,
} from '../../support/memory/memory-audience.ts'

const { id, commit } = waitingPlan
const bob = { ...ann, who: 'bob' }

/** The sites `local` and `edge` both wait to replace `web`; their plans are 2 and 3, and `id` is both together. */
const local = part('aaaa000000000002', item('web/web', 'replace'))
const edge = { ...part('aaaa000000000003', item('web/web', 'replace')), site: 'edge' }

function both() {
  const subject = memorySubject('prod', { plan: waitingPlan, parts: [local, edge] })
  return { subject, ...memoryAudience(subject) }
}

/** What is approved by now, by site. */
function approvedIn({ journal }: Pick<Audience, 'journal'>) {
  return ['local', 'edge'].map(site =>
    journal
      .approvals('prod', site, saidMs)
      .map(({ resource, planId }) => `${site}: ${resource} of ${planId}`),
  )
}

const approvedBoth = [['local: web/web of aaaa000000000002'], ['edge: web/web of aaaa000000000003']]

/** The change that waits on a site, as a pass begins it. */
function begins({ journal }: Pick<Audience, 'journal'>, site: string) {
  journal.beginApproved('prod', [change({ site, action: 'replace', release: 'release-of-web/web' })])
}

describe('an answer to the plan of several sites', () => {
  it('D4 is a yes to the plan of each, and a yes to that of one site counts there alone', async () => {
    const together = both()
    expect(await approve(together, ann, { id })).to.include({ approved: id, changes: 2 })
    expect(approvedIn(together)).to.deep.equal(approvedBoth)
    for (const planId of [id, local.planId, edge.planId])
      expect(together.journal.wordsOn('prod', planId).map(({ who }) => who)).to.deep.equal(['ann'])
    const alone = both()
    expect(await approve(alone, ann, { id: edge.planId })).to.include({ changes: 1 })
    expect(approvedIn(alone)).to.deep.equal([[], ['edge: web/web of aaaa000000000003']])
    expect(await approve(alone, bob, { id }), 'the other site still waits').to.include({ approved: id })
  })

  it('D4 is taken once, also when another site has ended a pass since', async () => {
    const there = both()
    await approve(there, ann, { id })
    there.subject.find({ endedMs: saidMs + 1 })
    expect(await refused(approve(there, bob, { id }))).to.match(
      /^plan-answered: plan \w+ was approved by ann/,
    )
    there.subject.find({ parts: [local, { ...edge, endedMs: saidMs + 1 }] })
    expect(await approve(there, bob, { id }), 'a site asks anew').to.include({ approved: id })
  })

  it('G8 is not taken once the plan of a site is another one than what was shown', async () => {
    const there = both()
    there.subject.find({
      plan: { id: 'aaaa000000000004', commit },
      parts: [local, { ...edge, planId: 'aaaa000000000005' }],
    })
    expect(await refused(approve(there, ann, { id }))).to.equal(
      `plan-changed: plan ${id} does not wait for an answer; these wait: aaaa000000000004; did you mean aaaa000000000004?`,
    )
    expect(approvedIn(there)).to.deep.equal([[], []])
  })

  it('D4 waits for the look at what was just applied, if that is on a site that it is about', async () => {
    for (const [answered, asked] of [
      [edge.planId, ['request']],
      [local.planId, ['wait', 'request']],
      [id, ['wait', 'request']],
    ] as const) {
      const there = both()
      there.subject.find({ unverified: ['local'] })
      await approve(there, ann, { id: answered })
      expect(there.subject.asked).to.deep.equal(asked)
    }
  })

  it('D4 is a no to the plan of each site at the commit that wants it there', async () => {
    const there = both()
    const later = '2'.repeat(40)
    there.subject.find({ parts: [local, { ...edge, commit: later }] })
    for (const site of ['local', 'edge', 'far'])
      there.journal.setWaiting({ environment: 'prod', site, planId: id, passId: 1, sinceMs: 0 })
    await discard(there, ann, { id })
    expect(
      there.journal.waiting('prod').map(({ site }) => site),
      'it waits no more',
    ).to.deep.equal(['far'])
    expect(there.journal.isDiscarded('prod', local.planId, commit)).to.equal(true)
    expect(there.journal.isDiscarded('prod', edge.planId, later)).to.equal(true)
    expect(await refused(approve(there, bob, { id }))).to.match(
      /^plan-answered: plan \w+ was discarded by ann/,
    )
  })

  it('D4 stays a no when somebody asks for something else, and ends when somebody asks for what it is about', async () => {
    const there = both()
    const said = { environment: 'prod', who: 'bob', via: 'control' } as const
    const word = () => there.journal.wordsOn('prod', id)[0]?.word
    await discard(there, ann, { id })
    for (const about of ['slow', 'other'])
      there.journal.recordAnswer({ ...said, verb: 'retry', about, atMs: saidMs + 1 })
    expect(word()).to.equal('discarded')
    for (const planId of [local.planId, edge.planId])
      expect(there.journal.isDiscarded('prod', planId, commit), planId).to.equal(true)
    there.journal.recordAnswer({ ...said, verb: 'retry', about: 'web', atMs: saidMs + 1 })
    expect(word()).to.equal(undefined)
  })

  it('D4 is about what was approved of a site and what waits there alike', async () => {
    const there = both()
    await approve(there, ann, { id: local.planId })
    there.subject.find({ parts: [{ ...local, items: [item('old/old', 'remove')] }], endedMs: saidMs + 1 })
    await discard(there, bob, { id: local.planId })
    const said = { environment: 'prod', who: 'bob', via: 'control', verb: 'retry' } as const
    expect(there.journal.isDiscarded('prod', local.planId, commit)).to.equal(true)
    there.journal.recordAnswer({ ...said, about: 'web', atMs: saidMs + 1 })
    expect(there.journal.isDiscarded('prod', local.planId, commit)).to.equal(false)
  })

  it('D4 takes back the yes that was given by that plan, or that to the plan of one site', async () => {
    const there = both()
    await approve(there, ann, { id })
    expect(await discard(there, bob, { id })).to.deep.equal({ discarded: id, environment: 'prod' })
    expect(approvedIn(there)).to.deep.equal([[], []])
    for (const planId of [id, local.planId, edge.planId])
      expect(there.journal.isDiscarded('prod', planId, commit), planId).to.equal(true)
    const one = both()
    await approve(one, ann, { id })
    await discard(one, bob, { id: edge.planId })
    expect(approvedIn(one)).to.deep.equal([['local: web/web of aaaa000000000002'], []])
    expect(one.journal.isDiscarded('prod', local.planId, commit)).to.equal(false)
  })

  it('D4 takes a yes back where nothing of it has begun, and says where it goes on', async () => {
    const there = both()
    await approve(there, ann, { id })
    begins(there, 'local')
    expect(await discard(there, bob, { id })).to.deep.equal({
      discarded: id,
      environment: 'prod',
      begun: ['local'],
    })
    expect(approvedIn(there)).to.deep.equal([['local: web/web of aaaa000000000002'], []])
    expect(there.journal.isDiscarded('prod', edge.planId, commit)).to.equal(true)
    expect(there.journal.isDiscarded('prod', local.planId, commit)).to.equal(false)
  })

  it('D4 takes nothing back once it has begun everywhere', async () => {
    const there = both()
    await approve(there, ann, { id })
    for (const site of ['local', 'edge']) begins(there, site)
    expect(await refused(discard(there, bob, { id }))).to.match(
      /^plan-answered: plan \w+ was approved by ann/,
    )
    expect(approvedIn(there)).to.deep.equal(approvedBoth)
  })

  it('D4 takes back every yes to the plan of a site, however often and by which id it was given', async () => {
    const there = both()
    await approve(there, ann, { id: edge.planId })
    await approve(there, bob, { id })
    await discard(there, ann, { id })
    expect(approvedIn(there)).to.deep.equal([[], []])
  })

  it('D4 is no yes where somebody said no, and says so', async () => {
    const there = both()
    await discard(there, ann, { id: local.planId })
    const { left, ...approved } = await approve(there, bob, { id })
    expect(approved).to.include({ approved: id, changes: 1 })
    expect(left).to.deep.equal([
      { site: 'local', reason: 'its plan was discarded by ann at 2026-03-01 12:00:00' },
    ])
    expect(approvedIn(there)).to.deep.equal([[], ['edge: web/web of aaaa000000000003']])
    expect(there.journal.wordsOn('prod', local.planId).map(({ who }) => who)).to.deep.equal(['ann'])
  })

  it('D4 is no yes where somebody said no and nothing waits any more, and says so, but not of the plan of one site', async () => {
    const there = both()
    await discard(there, ann, { id: local.planId })
    const quiet = { ...local, items: [], endedMs: saidMs + 1 }
    const asWanted = { ...quiet, site: 'third', planId: 'aaaa000000000004' }
    there.subject.find({ parts: [edge], others: [quiet, asWanted] })
    expect((await approve(there, bob, { id })).left).to.deep.equal([
      { site: 'local', reason: 'its plan was discarded by ann at 2026-03-01 12:00:00' },
    ])
    const alone = both()
    await discard(alone, ann, { id: local.planId })
    alone.subject.find({ parts: [edge], others: [quiet] })
    expect((await approve(alone, bob, { id: edge.planId })).left).to.equal(undefined)
  })

  it('D4 is no second yes where somebody said yes', async () => {
    const there = both()
    await approve(there, ann, { id: local.planId })
    const { left, ...approved } = await approve(there, bob, { id })
    expect(approved).to.include({ approved: id, changes: 1 })
    expect(left).to.deep.equal([
      { site: 'local', reason: 'its plan was approved by ann at 2026-03-01 12:00:00' },
    ])
    expect(approvedIn(there)).to.deep.equal(approvedBoth)
  })

  it('D4 is a no also where somebody said yes to the plan of a site before', async () => {
    for (const yes of [[local.planId], [local.planId, edge.planId], [local.planId, id]]) {
      const there = both()
      for (const one of yes) await approve(there, ann, { id: one })
      expect(await discard(there, bob, { id })).to.deep.equal({ discarded: id, environment: 'prod' })
      expect(approvedIn(there)).to.deep.equal([[], []])
      for (const planId of [id, local.planId, edge.planId])
        expect(there.journal.isDiscarded('prod', planId, commit), planId).to.equal(true)
    }
  })

  it('D4 is a no where nothing has begun, and says where it goes on', async () => {
    const there = both()
    await approve(there, ann, { id: local.planId })
    begins(there, 'local')
    expect(await discard(there, bob, { id })).to.deep.equal({
      discarded: id,
      environment: 'prod',
      left: [{ site: 'local', reason: 'its plan was approved by ann at 2026-03-01 12:00:00' }],
    })
    expect(approvedIn(there)).to.deep.equal([['local: web/web of aaaa000000000002'], []])
    expect(there.journal.isDiscarded('prod', local.planId, commit)).to.equal(false)
  })

  it('D4 takes back a yes to all sites also where it met an earlier one, after both ceased to wait', async () => {
    const there = both()
    await approve(there, ann, { id: local.planId })
    await approve(there, bob, { id })
    there.subject.find({ parts: [] })
    await discard(there, ann, { id })
    expect(approvedIn(there)).to.deep.equal([[], []])
  })

  it('D4 is refused once each site has an answer of its own, with all of them', async () => {
    const there = both()
    await approve(there, ann, { id: local.planId })
    await discard(there, bob, { id: edge.planId })
    expect(await refused(approve(there, ann, { id }))).to.equal(
      `plan-answered: plan ${id} was answered on each of its sites: local: its plan was approved by ann at TIME; edge: its plan was discarded by bob at TIME`,
    )
  })
})
