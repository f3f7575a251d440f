import { expect } from 'chai'
import fc from 'fast-check'
import { factsWith, lastingFacts } from '../../../lib/fleet/spread/facts/gist.ts'
import { everReached } from '../../../lib/fleet/spread/facts/run-facts.ts'
import type { Spread } from '../../../lib/fleet/spread/spread.ts'
import { type Stand, standOf } from '../../../lib/fleet/spread/stand.ts'
import { asKnownNow } from '../../../lib/state/fleet/as-known-now.ts'
import { withoutSuperseded } from '../../../lib/state/fleet/facts-that-count.ts'
import type { RecordedFact, RunFact } from '../../../lib/state/fleet/run.ts'

const names = ['a', 'b', 'c']
const site = fc.constantFrom(...names)
const sites = fc.subarray(names, { minLength: 1 })
const flag = (name: string) => fc.constantFrom({}, { [name]: true as const })

/** Facts of all kinds, most of them those of a site that stops and comes back. */
const fact = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(site, flag('isOwn'), flag('isEnd')).map(reachedOf) },
  {
    weight: 4,
    arbitrary: fc.tuple(site, flag('isEnd')).map(([site, how]) => ({ kind: 'stopped', site, ...how })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(site, flag('isGone')).map(([site, how]) => ({ kind: 'silent', site, ...how })),
  },
  { weight: 2, arbitrary: fc.tuple(site, fc.constantFrom({}, { untilMs: 50 })).map(hinderedOf) },
  {
    weight: 2,
    arbitrary: fc.tuple(sites, flag('isCanary')).map(([sites, how]) => ({ kind: 'batch', sites, ...how })),
  },
  { weight: 1, arbitrary: sites.map(sites => ({ kind: 'had', sites })) },
  { weight: 1, arbitrary: sites.map(sites => ({ kind: 'joined', sites })) },
  { weight: 2, arbitrary: site.map(site => ({ kind: 'failed', site, reason: 'it crashed' })) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('continue', 'pause', 'resume', 'resume', 'resume', 'resume', 'abort')
      .map(word => ({ kind: 'word', word, who: 'ann' })),
  },
) as fc.Arbitrary<Omit<RecordedFact, 'atMs'>>

function reachedOf([site, own, end]: readonly [string, object, object]): object {
  const isRestarted = 'isEnd' in end ? { isRestarted: true } : {}
  return { kind: 'reached', site, ...own, ...end, ...isRestarted }
}

function hinderedOf([site, until]: readonly [string, object]): object {
  return { kind: 'hindered', site, ...until }
}

const happenings = fc
  .array(fact, { maxLength: 20 })
  .map(all => all.map((one, at) => ({ ...one, atMs: at + 1 }) as RecordedFact))

const strategy: fc.Arbitrary<Spread> = fc.oneof(
  fc.constant<Spread>({ isAtOnce: true, healthyMs: 0 }),
  fc.record({ sitesInParallel: fc.integer({ min: 1, max: 3 }), healthyMs: fc.constantFrom(0, 5, 100) }),
  fc.record({
    healthyMs: fc.constantFrom(0, 5),
    canary: fc.record({
      sites: sites.map(all => new Set(all)),
      healthyMs: fc.constantFrom(0, 5, 'word' as const),
    }),
  }),
)

describe('what happened in a run, without what says nothing any more', () => {
  it('A32 A34 tells the same of where the run stands, now and after whatever happens next', () => {
    fc.assert(
      fc.property(
        ...[
          happenings,
          fc.nat(20),
          strategy,
          fc.subarray(names),
          fc.subarray(names),
          fc.subarray(names),
          fc.constantFrom(0, 21, 200),
        ],
        (all, after, strategy, sites, ready, begun, nowMs) => {
          const past = asKnownNow(all.slice(0, after))
          const stands = (known: readonly RunFact[]) => {
            const facts = asKnownNow([...known, ...all.slice(after)])
            const stand = standOf({
              ...{ strategy, sites, facts, nowMs },
              isMeant: () => true,
              isReady: site => ready.includes(site),
              hasBegun: site => begun.includes(site),
              lookedMs: () => 20,
            })
            return told(stand, facts)
          }
          expect(stands(withoutSuperseded(past))).to.deep.equal(stands(past))
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('A30 A32 G24 tells the same of where the run stands if it is known piece by piece, before as well', () => {
    fc.assert(
      fc.property(
        ...[
          happenings,
          fc.array(fc.nat(20), { maxLength: 4 }),
          strategy,
          fc.subarray(names),
          fc.subarray(names),
        ],
        (recorded, ends, strategy, sites, ready) => {
          const all = asKnownNow(recorded.filter(({ kind }) => kind !== 'joined'))
          const stands = (facts: readonly RunFact[]) =>
            told(
              standOf({
                ...{ strategy, sites, facts, nowMs: 21 },
                isMeant: () => true,
                isReady: site => ready.includes(site),
                hasBegun: (_, sinceMs) => sinceMs % 2 === 0,
                lookedMs: () => 20,
              }),
              [],
            )
          const inPieces = [...ends, all.length].sort((a, b) => a - b)
          let [known, from]: [readonly RunFact[], number] = [[], 0]
          const pieces = inPieces.map(end => {
            known = lastingFacts(factsWith(known, all.slice(from, end)))
            from = Math.max(from, end)
            return known
          })
          expect(pieces.map(stands)).to.deep.equal(inPieces.map(end => stands(all.slice(0, end))))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('A33 G24 keeps once that nothing hinders a site any more, however often something did', () => {
    const often = Array.from({ length: 500 }, (_, at): readonly RunFact[] => [
      { kind: 'hindered', atMs: at, site: 'a', untilMs: at + 50 },
      { kind: 'hindered', atMs: at, site: 'a' },
    ]).flat()
    const now: RunFact = { kind: 'hindered', atMs: 600, site: 'a', untilMs: 650 }
    expect(withoutSuperseded([...often, now])).to.deep.equal([
      { kind: 'hindered', atMs: 499, site: 'a' },
      now,
    ])
  })

  it('A33 keeps what a word after a failure rests on: that the site had reached it', () => {
    const facts: readonly RunFact[] = [
      { kind: 'batch', atMs: 1, sites: ['a'] },
      { kind: 'reached', atMs: 2, site: 'c' },
      { kind: 'failed', atMs: 3, site: 'c', reason: 'it crashed' },
      { kind: 'word', atMs: 4, word: 'resume', who: 'ann' },
      { kind: 'reached', atMs: 5, site: 'c' },
    ]
    expect(withoutSuperseded(facts)).to.deep.equal(facts)
  })

  it('A32 G24 grows no more however often a site stops and comes back', () => {
    const often = Array.from({ length: 500 }, (_, at): readonly RunFact[] => [
      { kind: 'stopped', atMs: at, site: 'a' },
      { kind: 'reached', atMs: at, site: 'a', isRestarted: true },
    ]).flat()
    const facts: readonly RunFact[] = [
      { kind: 'batch', atMs: 0, sites: ['a', 'b'] },
      { kind: 'reached', atMs: 0, site: 'a' },
      { kind: 'reached', atMs: 0, site: 'b' },
      ...often,
    ]
    expect(withoutSuperseded(facts)).to.deep.equal([
      { kind: 'batch', atMs: 0, sites: ['a', 'b'] },
      { kind: 'reached', atMs: 0, site: 'b' },
      { kind: 'reached', atMs: 499, site: 'a', isRestarted: true },
    ])
  })
})

function told(stand: Stand, facts: readonly RunFact[]): unknown {
  const { open, reached } = stand
  return inOrder({ ...stand, open: [...open], reached: [...reached], everReached: everReached(facts) })
}

/** Sites in the order of their names: in which order they came means nothing. */
function inOrder(value: unknown): unknown {
  if (value instanceof Set) return [...value].sort()
  if (value instanceof Map) return Object.fromEntries([...value].sort())
  if (Array.isArray(value))
    return value.every(one => typeof one === 'string') ? value.toSorted() : value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inOrder(one)]))
}
