import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import type { Journal } from '../../../../lib/journal/journal.ts'
import { startLoop } from '../../../../lib/reconcile/loop/loop.ts'
import type { World } from '../../../../lib/reconcile/world.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine, runningOn } from '../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'
import { untilSo } from '../../../support/time/until-so.ts'

const minute = 60_000
const names = ['a', 'b']

/** One site at a time, a minute apart; the image of `api` is not known while its registry does not answer. */
const files = {
  ...manifestOf('prod', { shop: '1', api: '1' }, { skipConfirmation: true }),
  'deployments/shop.yaml':
    'name: shop\napplication: shop\nplacement: {all-sites: true}\ndeploy-to-sites: {sites-in-parallel: 1, healthy-time: 1m}',
}

const oneByOne = {
  ...files,
  ...manifestOf('prod', { shop: '1' }, { skipConfirmation: true }),
}

const bothAtOnce = {
  ...manifestOf('prod', { shop: '1' }, { skipConfirmation: true }),
  'deployments/shop.yaml':
    'name: shop\napplication: shop\nplacement: {all-sites: true}\ndeploy-to-sites: {sites-in-parallel: 2}',
}

describe('a look before the interval is over', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('A32 G17 makes a pass over the sites whose turn it finds to have come', async () => {
    let nowMs = 1_000_000
    const engines = names.map(site => memoryEngine({ site, distribution: onlyOfShop }))
    const { worlds } = memoryWorlds({
      ...{ environments: ['prod'], files, engines },
      config: { sites: names.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
      clock: { nowMs: () => nowMs, steadyMs: () => nowMs },
    })
    const [world] = worlds
    if (world === undefined) throw new Error('there is no world')
    await using _ = started(world)
    await untilSo(() => world.memory.fleet.turns.all()[0]?.run?.stand.wait.for === 'healthy-time')
    expect(engines.map(runs).sort()).to.deep.equal(['', 'shop:1'])
    nowMs += minute
    // The timer of the deployment itself needs a minute; the registry is asked again before.
    mock.timers.tick(8_000)
    await untilSo(() => engines.every(engine => runs(engine) === 'shop:1'))
  })
})

describe('a deployment whose healthy time ends while the journal cannot be written', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('A30 G25 goes on as soon as it can be, without a pass or a look at the repository', async () => {
    let [nowMs, isFull, refused] = [1_000_000, false, 0]
    const engines = names.map(site => memoryEngine({ site, distribution: everyImage }))
    const kept = memoryJournal()
    const setObstacles: Journal['setObstacles'] = (...asked) => {
      if (!isFull) return kept.setObstacles(...asked)
      refused += 1
      throw new Failure('disk-full', 'the journal cannot be written')
    }
    const { worlds } = memoryWorlds({
      ...{ environments: ['prod'], files: oneByOne, engines, journal: { ...kept, setObstacles } },
      config: { sites: names.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
      clock: { nowMs: () => nowMs, steadyMs: () => nowMs },
    })
    const [world] = worlds
    if (world === undefined) throw new Error('there is no world')
    await using _ = started(world)
    await untilSo(() => world.memory.fleet.turns.all()[0]?.run?.stand.wait.for === 'healthy-time')
    for (const _ of names) await turn()
    isFull = true
    nowMs += minute
    mock.timers.tick(minute)
    expect(refused).to.equal(1)
    mock.timers.tick(1_000)
    expect(refused, 'it is tried again').to.equal(2)
    isFull = false
    mock.timers.tick(2_000)
    await untilSo(() => engines.every(engine => runs(engine) === 'shop:1'))
  })
})

describe('a deployment that has ended', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('A33 G24 looks a little later at a site that was still on its way, with all that come until then', async () => {
    const healthy = Promise.withResolvers<void>()
    const engines = names.map(site => {
      const engine = memoryEngine({ site, distribution: everyImage })
      const execute: MemoryEngine['execute'] = async (...asked) => {
        if (asked[0].do === 'await-healthy') {
          if (site === 'a') throw new Failure('exited-early', 'it exited with code 1')
          await healthy.promise
        }
        return engine.execute(...asked)
      }
      return { ...engine, execute }
    })
    const { worlds, journal } = memoryWorlds({
      ...{ environments: ['prod'], files: bothAtOnce, engines },
      config: { sites: names.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
    })
    const [world] = worlds
    if (world === undefined) throw new Error('there is no world')
    const stand = () => world.memory.fleet.turns.all()[0]?.run?.stand
    await using _ = started(world)
    await untilSo(() => stand()?.wait.for === 'correction')
    healthy.resolve()
    const run = journal.run('prod', 'shop')?.id ?? 0
    await untilSo(() =>
      journal.facts(run, 0).some(({ fact }) => fact.kind === 'reached' && fact.site === 'b'),
    )
    for (const _ of names) await turn()
    expect([...(stand()?.reached ?? [])]).to.deep.equal([])
    mock.timers.tick(250)
    await untilSo(() => stand()?.reached.has('b') === true)
  })
})

function started(world: World): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const { ended } = startLoop(world, { pollMs: 60 * minute, signal, random: () => 0.5, onResult: () => {} })
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await ended
    },
  }
}

async function onlyOfShop(reference: string, signal: AbortSignal) {
  if (reference.includes('api')) throw new Failure('registry-unreachable', 'registry: no answer')
  return everyImage(reference, signal)
}

function runs(engine: MemoryEngine): string {
  return runningOn(engine).join()
}
