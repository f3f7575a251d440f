import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import { Failure } from '../../../../lib/errors.ts'
import { type Journal, journalIn } from '../../../../lib/journal/journal.ts'
import { desiredState } from '../../../../lib/reconcile/repository/desired.ts'
import { round } from '../../../../lib/reconcile/round.ts'
import { itemsOf } from '../../../../lib/reconcile/site/decision/needs-approval.ts'
import { pass } from '../../../../lib/reconcile/site/pass.ts'
import type { RoundRequest } from '../../../../lib/reconcile/site/pass-request.ts'
import { sitesOf } from '../../../../lib/reconcile/site/site.ts'
import type { World } from '../../../../lib/reconcile/world.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'
import { memoryDatabase, memoryJournal } from '../../../support/memory/memory-journal.ts'

const { signal } = new AbortController()
const freshness = { maxAgeMs: 0, lastGood: false }
const apply: RoundRequest = { trigger: 'command', until: 'apply', freshness }

/** One site on which one service waits to be created. */
function scene({
  journal = memoryJournal(),
  ...parts
}: {
  readonly rivalOn?: readonly string[]
  readonly journal?: Journal
} = {}) {
  const engine = memoryEngine({ distribution: everyImage })
  const { worlds } = memoryWorlds({ files: manifestOf('prod', { web: '1' }), journal, engine, ...parts })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  return { world, engine, journal }
}

async function planOf(world: World) {
  const { plan, waiting } = await round(world, { ...apply, until: 'plan' }, signal)
  if (plan === undefined) throw new Error('there is a plan')
  return { id: plan.id, commit: plan.revision.commit, waiting: waiting.length }
}

describe('a pass over a site', () => {
  it('D4 carries out that plan alone which it is told to', async () => {
    const { world, engine, journal } = scene()
    const answer = { who: 'ann', via: 'terminal' } as const
    const other = await round(world, { ...apply, answer, onlyPlan: 'another' }, signal)
    expect([other.outcome, other.errors.map(({ code }) => code)]).to.deep.equal([
      'superseded',
      ['plan-changed'],
    ])
    expect(engine.done).to.deep.equal([])
    expect(journal.approvals('prod', 'local', world.nowMs()), 'nobody has seen it').to.deep.equal([])
    const { id } = await planOf(world)
    expect((await round(world, { ...apply, answer, onlyPlan: id }, signal)).outcome).to.equal('applied')
  })

  it('D4 that only plans shows a plan again that somebody discarded, and one that applies does not ask about it', async () => {
    const { world, journal } = scene()
    const { id: planId, commit } = await planOf(world)
    const environment = journal.environments()[0]?.environment ?? 'prod'
    journal.discard({ environment, planId, commit, who: 'ann', atMs: 0 })
    expect((await round(world, apply, signal)).outcome).to.equal('declined')
    expect((await planOf(world)).waiting).to.equal(1)
  })

  it('D4 D18 asks about nothing anew that somebody discarded, where what is left of the plan keeps what serves', async () => {
    const memory = memoryEngine({ distribution: everyImage })
    let isStopped = false
    const stopped = { state: 'exited', exitCode: 0 } as const
    const engine: Engine = {
      ...memory,
      async observe(...asked) {
        const { containers, ...live } = await memory.observe(...asked)
        const isMeant = (application: string) => isStopped && application === 'web'
        const seen = containers.map(one => (isMeant(one.application) ? { ...one, ...stopped } : one))
        return { ...live, containers: seen }
      },
    }
    const files = manifestOf('prod', { web: '1', old: '1' }, { skipConfirmation: true })
    const { worlds, journal, commit: change } = memoryWorlds({ files, engine })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    expect((await round(world, apply, signal)).outcome).to.equal('applied')
    isStopped = true
    change(manifestOf('prod', { web: '2' }))
    const { id: planId, commit, waiting } = await planOf(world)
    expect(waiting).to.equal(2)
    journal.discard({ environment: 'prod', planId, commit, who: 'ann', atMs: 0 })
    const kept = await round(world, { ...apply, keepsWaiting: true }, signal)
    expect(
      kept.results.map(({ change: { service, cause }, result }) => `${service}: ${cause} ${result}`),
    ).to.deep.equal(['web: drifted applied'])
    expect(kept.waiting.map(({ service }) => service)).to.deep.equal([])
  })

  it('G13 G17 over a site that does not answer leaves on record when that was seen last', async () => {
    const memory = memoryEngine({ distribution: everyImage })
    let [nowMs, isSilent] = [1_000_000, false]
    const engine: Engine = {
      ...memory,
      async observe(...asked) {
        if (isSilent) throw new Failure('engine-unreachable', 'local: no answer')
        return memory.observe(...asked)
      },
    }
    const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
    const clock = { nowMs: () => nowMs, steadyMs: () => nowMs }
    const { worlds, journal } = memoryWorlds({ files, engine, clock })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    await round(world, apply, signal)
    const seenMs = journal.lastSeenMs('prod', 'local')
    isSilent = true
    nowMs += 60_000
    const { errors, unreachable = [] } = await round(world, apply, signal)
    expect([...errors, ...unreachable].map(({ code }) => code)).to.include('engine-unreachable')
    expect([seenMs, journal.lastSeenMs('prod', 'local')]).to.deep.equal([1_000_000, 1_000_000])
  })

  it('D4 begins nothing that another process takes back after it was judged', async () => {
    const { world, engine, journal } = scene()
    const { plan, waiting } = await round(world, { ...apply, until: 'plan' }, signal)
    if (plan === undefined) throw new Error('there is a plan')
    const { id: planId, environment, revision } = plan
    const { commit } = revision
    const parts = [{ site: 'local', planId, commit, items: itemsOf(waiting) }]
    const said = { environment, planId, commit, who: 'ann', via: 'control', parts } as const
    const atMs = world.nowMs()
    journal.approve({ ...said, atMs, expiresAtMs: atMs + 60_000 })
    let reads = 0
    const approvals: typeof journal.approvals = (...asked) => {
      const inForce = journal.approvals(...asked)
      reads += 1
      if (reads === 2) journal.takeBackApprovals(environment, [planId], atMs)
      return inForce
    }
    const { outcome } = await round({ ...world, journal: { ...journal, approvals } }, apply, signal)
    expect([outcome, engine.done]).to.deep.equal(['needs-confirmation', []])
  })

  it('G25 G13 is put on record at once, with its plan and with what waits for a person in it', async () => {
    const database = memoryDatabase()
    const written: string[][] = []
    const journal = journalIn({
      ...database,
      transaction: work => {
        written.push([])
        return database.transaction(work)
      },
      run: (sql, ...values) => {
        written.at(-1)?.push(sql)
        return database.run(sql, ...values)
      },
      get: (sql, ...values) => {
        written.at(-1)?.push(sql)
        return database.get(sql, ...values)
      },
    })
    const { world } = scene({ journal })
    expect((await round(world, apply, signal)).outcome).to.equal('needs-confirmation')
    const transactionWith = (table: string) => written.findIndex(all => all.some(sql => sql.includes(table)))
    const first = transactionWith('INTO pass ')
    expect(['INTO plan ', 'INTO plan_change ', 'INTO waiting '].map(transactionWith)).to.deep.equal([
      first,
      first,
      first,
    ])
    expect(journal.waiting('prod')).to.have.length(1)
  })

  it('G25 has no number when it could not be put on record, and is recorded at its end', async () => {
    const { world, journal } = scene()
    const setWaiting = () => {
      throw new Failure('disk-full', 'the disk is full')
    }
    const full = { ...world, journal: { ...journal, setWaiting } }
    const { outcome, passId } = await round(full, apply, signal)
    expect(outcome).to.equal('failed')
    const [entry, ...others] = journal.log({ limit: 10 })
    expect([entry?.passId, entry?.outcome, entry?.error?.code, others]).to.deep.equal([
      passId,
      'failed',
      'disk-full',
      [],
    ])
  })

  it('G25 touches nothing when it cannot be written that a change begins', async () => {
    const { world, engine, journal } = scene()
    const beginApproved = () => {
      throw new Failure('journal-unusable', 'the disk is full')
    }
    const answer = { who: 'ann', via: 'terminal' } as const
    const { outcome, errors } = await round(
      { ...world, journal: { ...journal, beginApproved } },
      { ...apply, answer },
      signal,
    )
    expect([outcome, errors.map(({ code }) => code)]).to.deep.equal(['failed', ['journal-unusable']])
    expect(engine.done).to.deep.equal([])
  })

  it('G25 ends with the failure of the journal, whenever that fails from then on, and never rejects', async () => {
    const outcomes: string[] = []
    for (let calls = 0; outcomes.at(-1) !== 'needs-confirmation'; calls += 1) {
      const { world, journal } = scene()
      const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: false }, signal)
      const [site] = sitesOf({ ...world, journal: busyAfter(calls, journal) })
      if (site === undefined) throw new Error('there is one')
      const request = { trigger: 'poll', until: 'apply' } as const
      outcomes.push((await pass(site, wanted, request, signal)).outcome)
    }
    expect(outcomes.length).to.be.greaterThan(10)
    expect(new Set(outcomes)).to.deep.equal(new Set(['failed', 'needs-confirmation']))
  })

  it('G10 is on no record where another process is the writer', async () => {
    const { world, engine, journal } = scene({ rivalOn: ['local'] })
    const { errors } = await round(world, apply, signal)
    expect(errors.map(({ code }) => code)).to.include('another-writer')
    expect([journal.log({ limit: 10 }), engine.done]).to.deep.equal([[], []])
  })

  it('D17 G24 goes by no networks and volumes that were seen before, where it is not known to be the writer now', async () => {
    const { world } = scene()
    const answer = { who: 'ann', via: 'terminal' } as const
    await round(world, { ...apply, answer }, signal)
    await round(world, apply, signal)
    const [site] = sitesOf(world)
    if (site === undefined) throw new Error('there is one')
    const { surroundings } = site.memory
    expect(surroundings.known()).to.have.property('networks')
    const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: false }, signal)
    await pass(site, wanted, { trigger: 'poll', until: 'plan' }, signal)
    expect(surroundings.known()).to.equal(undefined)
  })
})

/** A journal that another process holds once so much was asked of it. */
function busyAfter(calls: number, journal: Journal): Journal {
  let left = calls
  return new Proxy(journal, {
    get(target, name, self) {
      const method = Reflect.get(target, name, self)
      if (typeof method !== 'function') return method
      return (...given: readonly unknown[]) => {
        if (left === 0) throw new Failure('journal-busy', 'another process holds it')
        left -= 1
        return method(...given)
      }
    },
  })
}
