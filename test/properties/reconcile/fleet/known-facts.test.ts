import { expect } from 'chai'
import fc from 'fast-check'
import type { Spread } from '../../../../lib/fleet/spread/spread.ts'
import { type Stand, standOf } from '../../../../lib/fleet/spread/stand.ts'
import { createFleetMemory } from '../../../../lib/reconcile/fleet/fleet-memory.ts'
import type { DeploymentRun, RunFact } from '../../../../lib/state/fleet/run.ts'

const names = ['a', 'b', 'c']
const minute = 60_000
const year = 365 * 24 * 60 * minute

const run: DeploymentRun = {
  ...{ id: 1, environment: 'prod', deployment: 'shop-everywhere', application: 'shop' },
  ...{ version: '2', content: 'c2', seed: 7, atMs: 0 },
}

/** What may happen: time passes, the time of day is set, or a fact is recorded. */
type Happening =
  | { readonly pass: number }
  | { readonly put: number }
  | { readonly fact: (nowMs: number) => RunFact }

const site = fc.constantFrom(...names)

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 30 }).map(minutes => ({ pass: minutes * minute })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(-year, year, -20 * minute, 20 * minute, minute, -minute).map(put => ({ put })),
  },
  {
    weight: 2,
    arbitrary: fc
      .subarray(names, { minLength: 1 })
      .map(sites => ({ fact: (atMs: number): RunFact => ({ kind: 'batch', atMs, sites }) })),
  },
  {
    weight: 4,
    arbitrary: site.map(site => ({ fact: (atMs: number): RunFact => ({ kind: 'reached', atMs, site }) })),
  },
  {
    weight: 2,
    arbitrary: site.map(site => ({
      fact: (atMs: number): RunFact => ({ kind: 'hindered', atMs, site, untilMs: atMs + 40 * minute }),
    })),
  },
  {
    weight: 1,
    arbitrary: site.map(site => ({ fact: (atMs: number): RunFact => ({ kind: 'silent', atMs, site }) })),
  },
)

const strategy: fc.Arbitrary<Spread> = fc.record({
  sitesInParallel: fc.integer({ min: 1, max: 3 }),
  healthyMs: fc.constantFrom(0, 15 * minute, 100 * minute),
})

/** A process that looks at a run. */
function process(strategy: Spread) {
  const memory = createFleetMemory()
  const recorded: RunFact[] = []
  let [steadyMs, aheadMs] = [5 * minute, 2 * year]
  const clock = { steadyMs: () => steadyMs, nowMs: () => steadyMs + aheadMs }
  const facts = (_: number, after: number) =>
    recorded.map((fact, index) => ({ entry: index + 1, fact })).slice(after)
  const stand = (): Stand => {
    const known = { facts: memory.facts(run, { ...clock, journal: { facts } }), nowMs: clock.nowMs() }
    const always = { isMeant: () => true, isReady: () => true, hasBegun: () => false }
    return standOf({ strategy, sites: names, ...known, ...always })
  }
  return {
    happens(one: Happening) {
      if ('pass' in one) steadyMs += one.pass
      else if ('put' in one) aheadMs += one.put
      else recorded.push(one.fact(clock.nowMs()))
    },
    /** Where the run stands; times are told from now. */
    looks() {
      const { open, wait, hindered, proving } = stand()
      const fromNow = (ms: number) => ms - clock.nowMs()
      return {
        open: [...open],
        wait: { for: wait.for, ...('sites' in wait ? { sites: wait.sites } : {}) },
        untilMs: 'untilMs' in wait && wait.untilMs !== undefined ? fromNow(wait.untilMs) : undefined,
        hindered: [...hindered].map(([site, { untilMs }]) => [site, fromNow(untilMs)]),
        proving: [...proving].map(([site, { sinceMs }]) => [site, fromNow(sinceMs)]),
      }
    },
  }
}

describe('what happened in a run, at times that count', () => {
  it('A32 A33 G17 healthy times and deadlines go by the steady clock, however the time of day is set', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 20 }), strategy, (all, strategy) => {
        const [set, never] = [process(strategy), process(strategy)]
        for (const one of all) {
          set.happens(one)
          if (!('put' in one)) never.happens(one)
          expect(set.looks()).to.deep.equal(never.looks())
        }
      }),
    )
  })

  it('A32 G17 what was recorded just before the time of day was set is not older than the look before it', () => {
    fc.assert(
      fc.property(fc.constantFrom(-year, year, 20 * minute), put => {
        const one = process({ sitesInParallel: 1, healthyMs: 15 * minute })
        one.happens({ fact: atMs => ({ kind: 'batch', atMs, sites: ['a'] }) })
        one.looks()
        one.happens({ fact: atMs => ({ kind: 'reached', atMs, site: 'a' }) })
        one.happens({ put })
        one.happens({ pass: minute })
        const { wait, untilMs = 0 } = one.looks()
        expect(wait.for).to.equal('healthy-time')
        expect(untilMs).to.be.within(14 * minute, 15 * minute)
      }),
    )
  })
})
