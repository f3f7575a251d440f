import { expect } from 'chai'
import fc from 'fast-check'
import { groupInstances } from '../../../lib/plan/compare/instance/instance.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { gateOf } from '../../../lib/state/application/ingress/route.ts'
import { isJob } from '../../../lib/state/running/job-container.ts'
import { countOf } from '../../../lib/state/share-of.ts'
import { desired } from '../../support/builders/builders.ts'
import { courseOf, planOf } from '../../support/builders/planning.ts'
import { carryOut, siteWith } from '../../support/memory/carry-out.ts'
import {
  isUp,
  liveOf,
  type SimulatedContainer,
  type SimulatedSite,
} from '../../support/memory/simulated-site.ts'

const share = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('25%', '50%', '100%'))

/** From one manifest to another, in any numbers and by any strategy. */
const move = fc.record({
  from: fc.integer({ min: 1, max: 5 }),
  to: fc.integer({ min: 1, max: 5 }),
  maxSurge: share,
  maxUnavailable: share,
  type: fc.constantFrom('auto' as const, 'rolling' as const, 'recreate' as const),
  jobs: fc.subarray(['test', 'pre', 'deploy', 'mid', 'post'] as const),
  init: fc.option(fc.constant('setup'), { nil: undefined }),
})

/** After how many steps everything ends: in the middle of one, or between two. */
const moment = fc.nat({ max: 80 }).map(halves => halves / 2)

type Move = typeof move extends fc.Arbitrary<infer T> ? T : never

function statesOf({ from, to, type, maxSurge, maxUnavailable, jobs, init }: Move) {
  const strategy = { type, maxSurge, maxUnavailable }
  // A mid hook goes with Recreate only (H3).
  const fitting = jobs.filter(stage => stage !== 'mid' || type === 'recreate')
  const parts = { strategy, jobs: fitting, ...(init === undefined ? {} : { init }) }
  return {
    before: desired({ tag: '1', replicas: from, ...parts }),
    after: desired({ tag: '2', replicas: to, ...parts }),
    jobs: fitting,
  }
}

describe('a rollout that is interrupted', () => {
  it('G2 ends with exactly what is wanted, wherever the crash came', () => {
    fc.assert(
      fc.property(move, moment, moment, fc.nat({ max: 4 }), (move, first, second, turned) => {
        const { before, after } = statesOf(move)
        const crashed = pass(siteWith(before), before, after, first, turned)
        const again = pass(crashed, before, after, second, turned)
        const end = pass(again, before, after)
        expect(running(end)).to.deep.equal(running(siteWith(after)))
        expect(planOf({ desired: after, live: liveOf(end), applied: after }).changes).to.deep.equal([])
      }),
      { numRuns: 100 },
    )
  })

  it('H22 runs each job exactly once, wherever the crash came', () => {
    fc.assert(
      fc.property(move, moment, moment, (move, first, second) => {
        const { before, after, jobs } = statesOf(move)
        const start = { ...siteWith(before), ran: [] }
        const end = pass(pass(pass(start, before, after, first), before, after, second), before, after)
        const ofJobs = end.ran.flatMap(name => /^prod\.web\.([a-z]+)\./.exec(name)?.[1] ?? [])
        expect(ofJobs).to.deep.equal(jobs)
      }),
    )
  })

  it('D7 does so for the holder of a host port, which never has two', () => {
    for (const type of ['auto', 'rolling', 'recreate'] as const)
      for (const crash of [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]) {
        const strategy = { type, maxSurge: 0, maxUnavailable: 1 }
        const before = desired({ tag: '1', hostPort: 80, strategy })
        const after = desired({ tag: '2', hostPort: 80, strategy })
        const end = pass(pass(siteWith(before), before, after, crash), before, after)
        expect(running(end)).to.deep.equal(running(siteWith(after)))
      }
  })

  it('H25 never serves from fewer than wanted - maxUnavailable, nor runs more than wanted + maxSurge', () => {
    fc.assert(
      fc.property(move, moment, fc.nat({ max: 4 }), (move, first, turned) => {
        const { before, after } = statesOf({ ...move, type: 'rolling' })
        const site = siteWith(before)
        const begun = carry(site, before, after, first, turned)
        const ended = carry(begun.at(-1) ?? site, before, after)
        const surge = countOf(move.maxSurge, move.to, 'up')
        const unavailable = Math.max(surge === 0 ? 1 : 0, countOf(move.maxUnavailable, move.to, 'down'))
        const most = Math.max(move.from, move.to + surge)
        const least = Math.min(move.from, move.to - unavailable)
        for (const moment of [...begun, ...ended]) {
          expect(instances(moment)).to.be.at.most(most)
          expect(serving(moment)).to.be.at.least(least)
        }
      }),
    )
  })

  it('P12 sends requests only to what is ready, and to no fewer than serve, wherever the crash came', () => {
    fc.assert(
      fc.property(move, moment, fc.nat({ max: 4 }), (move, first, turned) => {
        const states = statesOf(move)
        const [before, after] = [states.before, states.after].map(atGate)
        if (before === undefined || after === undefined) throw new Error('two states make two')
        const site = pass(siteWith(before), before, before)
        expect(reached(site)).to.have.lengthOf(move.from)
        const begun = carry(site, before, after, first, turned)
        const ended = carry(begun.at(-1) ?? site, before, after)
        const surge = countOf(move.maxSurge, move.to, 'up')
        const unavailable = Math.max(surge === 0 ? 1 : 0, countOf(move.maxUnavailable, move.to, 'down'))
        const least = move.type === 'recreate' ? 0 : Math.min(move.from, move.to - unavailable)
        for (const moment of [...begun, ...ended]) {
          expect(reached(moment).filter(({ state, gated }) => state !== 'running' || !gated)).to.deep.equal(
            [],
          )
          expect(reached(moment).length).to.be.at.least(least)
        }
        expect(reached([...begun, ...ended].at(-1) ?? site)).to.have.lengthOf(move.to)
      }),
      { numRuns: 50 },
    )
  })
})

const gate = gateOf('prod', 'web', 'web', '10.201.0.0/16')

/** The same, with a route to each service. */
function atGate(state: DesiredState): DesiredState {
  return {
    ...state,
    applications: state.applications.map(application => ({
      ...application,
      services: application.services.map(service => ({
        ...service,
        traffic: { role: 'backend', gate, routes: [] },
      })),
    })),
  }
}

/** Instances that requests are sent to. */
function reached({ containers }: SimulatedSite): readonly SimulatedContainer[] {
  return [...containers.values()].filter(
    ({ networks, isDraining }) => networks.includes(gate.network.name) && isDraining !== true,
  )
}

function carry(site: SimulatedSite, applied: DesiredState, wanted: DesiredState, steps?: number, turned = 0) {
  const { changes } = planOf({ desired: wanted, live: liveOf(site), applied })
  const { moments, failed } = carryOut(site, changes.flatMap(courseOf), {
    turned,
    ...(steps === undefined ? {} : { steps }),
  })
  expect(failed).to.equal(undefined)
  return moments
}

function pass(
  site: SimulatedSite,
  applied: DesiredState,
  wanted: DesiredState,
  steps?: number,
  turned = 0,
): SimulatedSite {
  return carry(site, applied, wanted, steps, turned).at(-1) ?? site
}

/** What runs, by what it was made from. */
function running({ containers }: SimulatedSite): readonly string[] {
  return [...containers.values()]
    .filter(isUp)
    .map(({ fingerprint, image }) => `${image} ${fingerprint}`)
    .sort()
}

/** Instances of which anything runs. */
function instances({ containers }: SimulatedSite): number {
  return groupInstances([...containers.values()].filter(one => isUp(one) && !isJob(one))).length
}

/** Instances that can be counted on: the old ones, and the new ones that passed their gate. */
function serving({ containers }: SimulatedSite): number {
  const parts = [...containers.values()].filter(({ role }) => role === 'app')
  return parts.filter(({ state, gated }) => state === 'running' && gated).length
}
