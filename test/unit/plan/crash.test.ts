import { expect } from 'chai'
import fc from 'fast-check'
import { countOf } from '../../../lib/plan/rollout/count.ts'
import type { DesiredState } from '../../../lib/state/desired.ts'
import { desired, live } from '../../support/builders.ts'
import { carryOut } from '../../support/carry-out.ts'
import { planOf } from '../../support/planning.ts'
import { isUp, liveOf, type SimulatedSite, siteOf } from '../../support/simulated-site.ts'

const share = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('25%', '50%', '100%'))

/** From one manifest to another, in any numbers and by any strategy. */
const move = fc.record({
  from: fc.integer({ min: 1, max: 5 }),
  to: fc.integer({ min: 1, max: 5 }),
  maxSurge: share,
  maxUnavailable: share,
  type: fc.constantFrom('auto' as const, 'rolling' as const, 'recreate' as const),
})

type Move = typeof move extends fc.Arbitrary<infer T> ? T : never

function statesOf({ from, to, type, maxSurge, maxUnavailable }: Move) {
  const strategy = { type, maxSurge, maxUnavailable }
  return {
    before: desired({ tag: '1', replicas: from, strategy }),
    after: desired({ tag: '2', replicas: to, strategy }),
  }
}

describe('a rollout that is interrupted', () => {
  it('G2 ends with exactly what is wanted, from whatever step the crash came after', () => {
    fc.assert(
      fc.property(move, fc.nat({ max: 40 }), fc.nat({ max: 40 }), (move, first, second) => {
        const { before, after } = statesOf(move)
        const crashed = pass(siteOf(live(before)), before, after, first)
        const again = pass(crashed, before, after, second)
        const end = pass(again, before, after, Number.POSITIVE_INFINITY)
        expect(running(end)).to.deep.equal(running(siteOf(live(after))))
        expect(planOf({ desired: after, live: liveOf(end), applied: after }).changes).to.deep.equal([])
      }),
      { numRuns: 150 },
    )
  })

  it('H25 never serves from fewer than wanted - maxUnavailable, nor runs more than wanted + maxSurge', () => {
    fc.assert(
      fc.property(move, fc.nat({ max: 40 }), (move, first) => {
        const { before, after } = statesOf({ ...move, type: 'rolling' })
        const site = siteOf(live(before))
        const begun = carry(site, before, after, first)
        const ended = carry(begun.at(-1) ?? site, before, after, Number.POSITIVE_INFINITY)
        const surge = countOf(move.maxSurge, move.to, 'up')
        const unavailable = Math.max(surge === 0 ? 1 : 0, countOf(move.maxUnavailable, move.to, 'down'))
        const most = Math.max(move.from, move.to + surge)
        const least = Math.min(move.from, move.to - unavailable)
        for (const moment of [...begun, ...ended]) {
          expect(running(moment).length).to.be.at.most(most)
          expect(serving(moment)).to.be.at.least(least)
        }
      }),
      { numRuns: 150 },
    )
  })
})

function carry(site: SimulatedSite, applied: DesiredState, wanted: DesiredState, steps: number) {
  const { changes } = planOf({ desired: wanted, live: liveOf(site), applied })
  const { moments, failed } = carryOut(
    site,
    changes.flatMap(({ stages }) => stages),
    { steps },
  )
  expect(failed).to.equal(undefined)
  return moments
}

function pass(
  site: SimulatedSite,
  applied: DesiredState,
  wanted: DesiredState,
  steps: number,
): SimulatedSite {
  return carry(site, applied, wanted, steps).at(-1) ?? site
}

/** What runs, by what it was made from. */
function running({ containers }: SimulatedSite): readonly string[] {
  return [...containers.values()]
    .filter(isUp)
    .map(({ fingerprint, image }) => `${image} ${fingerprint}`)
    .sort()
}

/** Instances that can be counted on: the old ones, and the new ones that passed their gate. */
function serving({ containers }: SimulatedSite): number {
  return [...containers.values()].filter(({ state, gated }) => state === 'running' && gated).length
}
