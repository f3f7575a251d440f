import { expect } from 'chai'
import { approve, approveShown } from '../../../lib/answers/approve.ts'
import { discard } from '../../../lib/answers/discard.ts'
import { Failure } from '../../../lib/errors.ts'
import { waitingItems } from '../../../lib/reconcile/site/decision/needs-approval.ts'
import { change, desired, live } from '../../support/builders/builders.ts'
import { planOf } from '../../support/builders/planning.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { refused } from '../../support/failures/refused.ts'
import {
  ann,
  item,
  memoryAudience,
  memorySubject,
  part,
  saidMs,
  stranger,
  waitingPlan,
} from '../../support/memory/memory-audience.ts'

const { id, commit } = waitingPlan
const bob = { ...ann, who: 'bob' }

describe('an approval', () => {
  it('D3 covers everything that waits but removals, which come with the next plan', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    expect(await approve(audience, ann, { id, message: 'go' })).to.deep.equal({
      approved: id,
      environment: 'prod',
      changes: 1,
      removalsLeft: 1,
      from: 2,
      look: 3,
      after: 0,
    })
    expect(audience.journal.approvals('prod', 'local', saidMs)).to.deep.equal([
      {
        resource: 'web/web',
        action: 'replace',
        release: 'release-of-web/web',
        planId: id,
        commit,
        who: 'ann',
        via: 'control',
        message: 'go',
        atMs: saidMs,
        expiresAtMs: saidMs + 60_000,
        wantedSeq: 0,
      },
    ])
    expect(subject.asked).to.deep.equal(['request'])
  })

  it('D3 covers removals if only they wait', async () => {
    const subject = memorySubject('prod', { plan: waitingPlan, parts: [part(id, item('old/old', 'remove'))] })
    const audience = memoryAudience(subject)
    expect(await approve(audience, ann, { id }))
      .to.include({ changes: 1 })
      .and.not.have.property('removalsLeft')
    expect(audience.journal.approvals('prod', 'local', saidMs).map(({ resource }) => resource)).to.deep.equal(
      ['old/old'],
    )
  })

  it('X18 covers each later version of a service once, however many services of an application go there', async () => {
    const later = ['a', 'b'].map(service => ({ service, release: 'r3', version: '3', fields: [], jobs: [] }))
    const walk = { from: '1', by: ['2', '3'], later } as const
    const changes = ['a', 'b'].map(service => change({ service, release: 'r2', walk }))
    const waits = part(id, ...waitingItems(changes))
    const audience = memoryAudience(memorySubject('prod', { plan: waitingPlan, parts: [waits] }))
    expect(await approve(audience, ann, { id })).to.include({ approved: id, changes: 2 })
    const given = audience.journal.approvals('prod', 'local', saidMs)
    expect(given.map(({ resource, release }) => `${resource} ${release}`)).to.have.members([
      'web/a r2',
      'web/a r3',
      'web/b r2',
      'web/b r3',
    ])
  })

  it('D4 is one: who says yes at the same moment is told what the first one said', async () => {
    const audience = memoryAudience(memorySubject())
    const [first, second] = await Promise.allSettled([
      approve(audience, ann, { id, message: 'go' }),
      approve(audience, bob, { id }),
    ])
    expect([first?.status, second?.status]).to.deep.equal(['fulfilled', 'rejected'])
    expect(await refused(approve(audience, bob, { id }))).to.equal(
      `plan-answered: plan ${id} was approved by ann at TIME ("go") and is carried out next`,
    )
    expect(audience.journal.answers({ limit: 10 })).to.have.length(1)
  })

  it('D4 G13 is over once another commit came before it was carried out, and the plan to answer is named', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    await approve(audience, ann, { id })
    const other = 'b1b2c3d4e5f60718'
    const waits = { ...part(other, item('web/web', 'replace')), endedMs: saidMs + 1 }
    subject.find({ plan: { id: other, commit: '2'.repeat(40) }, parts: [waits], endedMs: saidMs + 1 })
    expect(await refused(approve(audience, bob, { id }))).to.equal(
      `plan-changed: plan ${id} is over: commit 222222222222 came before it was carried out; these wait: ${other}`,
    )
  })

  it('D4 may be asked for anew once a pass has found what is left', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    await approve(audience, ann, { id })
    subject.find({ parts: [{ ...part(id, item('web/web', 'replace')), endedMs: saidMs + 1 }] })
    expect(await approve(audience, bob, { id })).to.include({ approved: id })
  })

  it('D4 is of a plan that waits, and says which do', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject, memorySubject('devel', {}))
    expect(await refused(approve(audience, ann, { id: 'aaaa000000000002' }))).to.equal(
      `plan-changed: plan aaaa000000000002 does not wait for an answer; these wait: ${id}; did you mean ${id}?`,
    )
    expect(subject.asked, 'it may be newer than the last pass').to.deep.equal(['look'])
    subject.roll(true)
    subject.find({ parts: [] })
    expect(await refused(approve(audience, ann, { id }))).to.equal(
      `plan-changed: plan ${id} does not wait for an answer; no plan waits; a rollout of prod is under way on local`,
    )
  })

  it('D4 G13 is of no plan that waits while another one is carried out', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    const { journal } = audience
    const pass = journal.beginPass({ environment: 'prod', site: 'local', trigger: 'poll', atMs: 0 })
    journal.setPlan(pass, { ...planOf({ desired: desired(), live: live(desired()) }), id })
    subject.roll(true)
    subject.find({ parts: [] })
    const { message } = await failureOf(approve(audience, ann, { id: 'ffff' }))
    expect(message).to.equal(
      'plan ffff does not wait for an answer; no plan waits; a rollout of prod is under way on local',
    )
  })

  it('D4 G14 is of nothing that is suspended, and says who suspended it', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    subject.find({ parts: [] })
    audience.journal.suspend({ environment: 'prod', reason: 'stocktaking', who: 'bob', atMs: saidMs })
    const { message } = await failureOf(approve(audience, ann, { id }))
    expect(message).to.equal(
      `plan ${id} does not wait for an answer; no plan waits; prod has been suspended by bob since ${new Date(saidMs).toISOString()}: stocktaking`,
    )
  })

  it('D4 counts in the environment of the plan alone', async () => {
    const audience = memoryAudience(memorySubject(), memorySubject('devel', {}))
    expect(await refused(approve(audience, ann, { id, environment: 'devel' }))).to.equal(
      `wrong-usage: plan ${id} belongs to the environment prod, not to devel`,
    )
    expect(await approve(audience, ann, { id, environment: 'environments/prod' })).to.include({
      environment: 'prod',
    })
  })

  it('D4 is taken by who writes alone', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    subject.rival(new Map([['local', new Failure('another-writer', 'node-2 writes')]]))
    expect(await refused(approve(audience, ann, { id }))).to.equal('another-writer: node-2 writes')
    expect(audience.journal.wordsOn('prod', id)).to.deep.equal([])
  })
})

describe('a no', () => {
  it('D4 stands against a later yes to the plan at that commit', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    expect(await discard(audience, ann, { id, message: 'not on a Friday' })).to.deep.equal({
      discarded: id,
      environment: 'prod',
    })
    expect(audience.journal.isDiscarded('prod', id, commit)).to.equal(true)
    expect(await refused(approve(audience, bob, { id }))).to.equal(
      `plan-answered: plan ${id} was discarded by ann at TIME ("not on a Friday")`,
    )
    const later = '2'.repeat(40)
    subject.find({
      plan: { id, commit: later },
      parts: [{ ...part(id, item('web/web', 'replace')), commit: later }],
    })
    expect(await approve(audience, bob, { id })).to.include({ approved: id })
  })

  it('D4 takes an approval back of which nothing has begun, and none that is being carried out', async () => {
    const subject = memorySubject()
    const audience = memoryAudience(subject)
    const { journal } = audience
    await approve(audience, ann, { id })
    await discard(audience, bob, { id })
    expect(journal.approvals('prod', 'local', saidMs)).to.deep.equal([])
    expect(journal.answers({ limit: 10 }).map(({ verb, who }) => `${who}: ${verb}`)).to.deep.equal([
      'bob: discard',
      'ann: approve',
    ])
    const begun = memoryAudience(subject)
    await approve(begun, ann, { id })
    begun.journal.beginApproved('prod', [change({ release: 'release-of-web/web', action: 'replace' })])
    expect(await refused(discard(begun, bob, { id }))).to.match(
      /^plan-answered: plan \w+ was approved by ann/,
    )
    expect(begun.journal.approvals('prod', 'local', saidMs)).to.have.length(1)
  })
})

describe('the yes to a plan that was just shown', () => {
  const shown = { environment: 'prod', id, commit, parts: [part(id, item('web/web', 'replace'))] }

  it('G25 is an approval, and on record as every other one', () => {
    const audience = memoryAudience()
    approveShown(audience, memorySubject(), { ...ann, via: 'terminal' }, shown)
    const said = { who: 'ann', via: 'terminal', atMs: saidMs }
    expect(audience.journal.answers({ limit: 10 })).to.deep.equal([
      { environment: 'prod', verb: 'approve', about: id, ...said },
    ])
    const approvals = audience.journal.approvals('prod', 'local', saidMs)
    expect(approvals.map(({ resource, who, via, atMs }) => ({ resource, who, via, atMs }))).to.deep.equal([
      { resource: 'web/web', ...said },
    ])
  })

  it('G13 by somebody who may not approve is refused, and approves nothing', async () => {
    const audience = memoryAudience()
    const yes = async () => approveShown(audience, memorySubject(), stranger, shown)
    expect(await refused(yes())).to.equal('control-forbidden: eve may not approve')
    expect(audience.journal.approvals('prod', 'local', saidMs)).to.deep.equal([])
  })
})
