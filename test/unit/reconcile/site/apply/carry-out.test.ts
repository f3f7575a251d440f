import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { type Journal, journalIn } from '../../../../../lib/journal/journal.ts'
import type { Database } from '../../../../../lib/journal/store/database.ts'
import type { Change } from '../../../../../lib/plan/change/change.ts'
import { createPools } from '../../../../../lib/reconcile/concurrency/pools.ts'
import { createMemory } from '../../../../../lib/reconcile/memory.ts'
import { carryOut } from '../../../../../lib/reconcile/site/apply/carry-out.ts'
import type { PassRequest } from '../../../../../lib/reconcile/site/pass-request.ts'
import { openRecorder } from '../../../../../lib/reconcile/site/record/record.ts'
import type { Found, PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { createSiteMemory } from '../../../../../lib/reconcile/site/site-memory.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import { change, desired } from '../../../../support/builders/builders.ts'
import { create, gate, remove, start, stop } from '../../../../support/builders/steps.ts'
import { type MemoryEngineParts, memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryDatabase } from '../../../../support/memory/memory-journal.ts'
import { emptySite, perform } from '../../../../support/memory/simulated-site.ts'

/** `web.1` is stopped before `web.2` takes its place. */
const recreate = change({
  stages: [[stop('web.1')], [create('web.2')], [start('web.2')], [gate('web.2')]],
  finish: [[remove('web.1')]],
  undo: [[stop('web.2')], [start('web.1')], [gate('web.1')], [remove('web.2')]],
})
const unhealthy = new Failure('unhealthy', 'local: web.2: its health check fails')

describe('carrying out while the journal cannot be written', () => {
  let database: Database
  let journal: Journal
  beforeEach(() => {
    database = memoryDatabase()
    journal = journalIn(database)
  })
  afterEach(() => journal.close())

  const refuseWrites = () => void database.run('PRAGMA query_only = 1')
  const takeWrites = () => void database.run('PRAGMA query_only = 0')

  /** One pass over a site where `web.1` runs, as far as it concerns the journal. */
  async function carriedOut(engineParts: MemoryEngineParts, { onEvent }: Pick<PassRequest, 'onEvent'> = {}) {
    const engine = memoryEngine({
      ...engineParts,
      has: [create('web.1'), start('web.1')].reduce(perform, emptySite),
    })
    let clockMs = 0
    const nothing = () => undefined
    const log = { debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => log }
    const world: Partial<World> = {
      journal,
      pools: createPools(),
      nowMs: () => clockMs++,
      steadyMs: () => clockMs,
      memory: createMemory(),
      environment: 'prod',
      log,
    }
    const request: PassRequest = {
      trigger: 'poll',
      until: 'apply',
      ...(onEvent === undefined ? {} : { onEvent }),
    }
    const wanted = desired({ tag: '2' })
    const site = { world: world as World, engine, memory: createSiteMemory() }
    const newest = wanted.revision.commit
    const record = openRecorder(site, { desired: wanted, newest }, request)
    record.begin()
    record.begun([recreate])
    const found: Partial<Omit<Found, 'decision' | 'verdict'>> & {
      decision: { plan: { changes: readonly Change[] } }
      verdict: { go: readonly Change[] }
    } = {
      desired: wanted,
      decision: { plan: { changes: [recreate] } },
      verdict: { go: [recreate] },
    }
    const { results } = await carryOut(
      site,
      request,
      found as unknown as Found,
      record,
      new AbortController().signal,
    )
    const result: PassResult = {
      outcome: 'rolled-back',
      sync: 'OutOfSync',
      errors: [],
      waiting: [],
      results,
      status: [],
    }
    return { engine, results, end: () => record.end(result) }
  }

  it('G25 brings a change that had begun to its end, in the engine and, once that is possible, on record', async () => {
    const { engine, results, end } = await carriedOut({
      during: { 'stop-container web.1': refuseWrites },
      fails: { 'await-healthy web.2': unhealthy },
    })
    expect(results.map(({ result }) => result)).to.deep.equal(['rolled-back'])
    expect(
      [...engine.has().containers.values()].map(({ engineName, state }) => [engineName, state]),
    ).to.deep.equal([['web.1', 'running']])
    const { errors, passId = 0 } = end()
    expect(errors.map(({ code }) => code)).to.deep.equal(['journal-unusable'])
    takeWrites()
    journal.clearWaiting('prod')
    const { outcome, eventCount } = journal.show(passId) ?? {}
    expect({ outcome, eventCount }).to.deep.equal({ outcome: 'rolled-back', eventCount: 16 })
    expect(journal.quarantined('prod').map(({ reason }) => reason.code)).to.deep.equal(['unhealthy'])
  })

  it('G25 brings a change to its end whatever those do who are told of its steps', async () => {
    const { results, end } = await carriedOut(
      {
        fails: { 'await-healthy web.2': unhealthy },
      },
      {
        onEvent: () => {
          throw new Error('the terminal is gone')
        },
      },
    ).catch((error: unknown) => ({ results: [], end: () => error }))
    expect(results).to.deep.equal([])
    expect(end()).to.include({ code: 'internal', message: 'the terminal is gone' })
    expect(journal.quarantined('prod').map(({ reason }) => reason.code)).to.deep.equal(['unhealthy'])
  })
})
