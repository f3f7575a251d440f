import { expect } from 'chai'
import type { PlacedSites } from '../../../../../lib/journal/fleet/placements.ts'
import { type AdvanceInput, advance } from '../../../../../lib/reconcile/fleet/advance.ts'
import { asKnownNow } from '../../../../../lib/state/fleet/as-known-now.ts'
import type { RunFact } from '../../../../../lib/state/fleet/run.ts'

const deployment = {
  name: 'shop',
  application: 'shop',
  placement: { kind: 'all-sites' },
  sitesInParallel: 1,
  healthyMs: 60_000,
  revision: 'now',
} as const
const endpoints = { a: 'tcp://a:1', b: 'tcp://b:1', c: 'tcp://c:1' }
const atMs = 1_000
const batch = (...sites: readonly string[]): RunFact => ({ kind: 'batch', atMs, sites })
const reached = (site: string): RunFact => ({ kind: 'reached', atMs, site })

/** A deployment of all sites, which meant only these ones before; undefined: nobody knows of it. */
function joining(
  before: readonly string[] | undefined,
  facts: readonly RunFact[],
  more: Partial<AdvanceInput> = {},
) {
  const placement: PlacedSites | undefined = before && {
    deployment: { ...deployment, revision: 'before' },
    sites: before,
    canaries: [],
    known: endpoints,
  }
  const run = { environment: 'prod', deployment: 'shop', application: 'shop', version: '1', content: 'c1' }
  const { news, turn } = advance({
    ...{ environment: 'prod', deployment, isHeld: false, wanted: { version: '1', content: 'c1' } },
    sites: Object.entries(endpoints).map(([name, endpoint]) => ({ name, endpoint, labels: {} })),
    ...{ placement, run: { ...run, id: 5, seed: 7, atMs: 0 }, facts },
    ...{ isReady: () => true, isSilent: () => false, hasBegun: () => false, moves: true },
    ...{ hasIt: () => false, hasVersion: () => false, mayRun: () => false, nowMs: 90_000, seed: 7 },
    ...more,
  })
  const recorded = news.flatMap(one => (one.is === 'fact' ? [one.fact] : []))
  const placed = news.flatMap(one => (one.is === 'placement' ? [{ placement: one.placement }] : []))[0]
  return { news, recorded, placement: placed, stand: turn.run?.stand }
}

const drawnIn = (facts: ReturnType<typeof joining>['recorded']) =>
  facts.flatMap(fact => (fact.kind === 'batch' ? [fact.sites] : []))

describe('sites that join a deployment', () => {
  it('A25 begin anew if it meant them before: what was found on them then counts no more', () => {
    const facts = [batch('a', 'b', 'c'), reached('a'), reached('b'), reached('c')]
    const { recorded, stand } = joining(['a', 'b'], facts)
    expect(recorded[0]).to.deep.equal({ kind: 'joined', atMs: 90_000, sites: ['c'] })
    expect([...(stand?.reached ?? [])]).to.deep.equal(['a', 'b'])
    expect(stand?.wait)
      .to.include({ for: 'sites' })
      .and.deep.include({ sites: ['c'] })
  })

  it('A25 are recorded only if the run knows them from before', () => {
    const { recorded } = joining(['a', 'b'], [batch('a', 'b'), reached('a'), reached('b')])
    expect(recorded).to.deep.equal([{ kind: 'batch', atMs: 90_000, sites: ['c'] }])
  })

  it('A35 get at once what all others have, and not what one of them still waits for', () => {
    expect(drawnIn(joining(['a'], [batch('a'), reached('a')]).recorded)).to.deep.equal([['b', 'c']])
    const { stand, recorded } = joining(['a', 'b'], [batch('a'), reached('a'), batch('b')])
    expect(drawnIn(recorded)).to.deep.equal([])
    expect(stand?.wait).to.deep.include({ for: 'sites', sites: ['b'] })
  })

  it('A32 A35 are drawn like all others if nobody was meant who had the version', () => {
    for (const before of [[], undefined]) expect(drawnIn(joining(before, []).recorded)[0]).to.have.length(1)
    const facts = [batch('a', 'b', 'c'), reached('a'), reached('b'), reached('c')]
    for (const before of [[], undefined])
      expect(drawnIn(joining(before, facts).recorded)[0]).to.have.length(1)
    expect(drawnIn(joining(['gone'], [batch('gone')]).recorded)[0]).to.have.length(1)
  })

  it('A34 are finished first where the version was begun when they were drawn before', () => {
    const hasBegun = (site: string) => site === 'b'
    const facts = [batch('a'), reached('a'), batch('b'), batch('c'), reached('c')]
    for (const happened of [facts.slice(0, 3), facts]) {
      const { stand, recorded } = joining(['a', 'c'], happened, { hasBegun, moves: false })
      expect(drawnIn(recorded)).to.deep.equal([])
      expect([...(stand?.begun ?? [])]).to.deep.equal(['b'])
      expect(stand?.wait).to.deep.include({ for: 'sites', sites: ['b'] })
    }
  })

  it('A11 A34 are finished first where another content of the version was begun, for which nobody was drawn yet', () => {
    const hasBegun = (site: string) => site === 'b'
    const had: RunFact = { kind: 'had', atMs, sites: ['a', 'b'] }
    const { stand, recorded } = joining(['a', 'c'], [had, batch('a'), reached('a')], { hasBegun })
    expect(drawnIn(recorded)).to.deep.equal([])
    expect([...(stand?.begun ?? [])]).to.deep.equal(['b'])
    expect(stand?.wait).to.deep.include({ for: 'sites', sites: ['b'] })
  })

  it('A12 say nothing with what was last seen there, if a version begins together with them', () => {
    const wanted = { version: '2', content: 'c2' }
    const seen = { hasIt: () => true, hasVersion: () => true }
    const { recorded } = joining(['a', 'b'], [], { wanted, ...seen })
    const found = recorded.flatMap(fact => (fact.kind === 'reached' ? [fact.site] : []))
    expect(found).to.deep.equal(['a', 'b'])
  })

  it('G25 begin anew once: with what was recorded, there is no more news', () => {
    const facts = [batch('a', 'b', 'c'), reached('a'), reached('b'), reached('c')]
    const { recorded, placement } = joining(['a', 'b'], facts)
    const known = asKnownNow([...facts, ...recorded])
    expect(joining(undefined, known, placement).news).to.deep.equal([])
  })
})
