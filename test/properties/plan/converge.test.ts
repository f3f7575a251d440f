import { expect } from 'chai'
import fc from 'fast-check'
import type { Service } from '../../../lib/state/application/application.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { application, desired, service } from '../../support/builders/builders.ts'
import { courseOf, planOf } from '../../support/builders/planning.ts'
import { carryOut } from '../../support/memory/carry-out.ts'
import {
  emptySite,
  liveOf,
  type SimulatedContainer,
  type SimulatedSite,
} from '../../support/memory/simulated-site.ts'

const digit = fc.constantFrom('1', '2', '3')
const share = fc.constantFrom(0, 1, 3, '25%', '100%')

const serviceNamed = (name: string): fc.Arbitrary<Service> =>
  fc
    .record({
      tags: fc.array(digit, { maxLength: 4 }),
      beside: fc.constantFrom([], ['log'], ['log', 'proxy']),
      env: fc.constantFrom({}, { LEVEL: 'info' }, { LEVEL: 'debug' }),
      init: fc.constantFrom({}, { init: 'setup' }),
      jobs: fc.constantFrom([], ['pre' as const, 'post' as const]),
      network: fc.constantFrom('prod', 'prod.shop'),
      type: fc.constantFrom('auto' as const, 'rolling' as const, 'recreate' as const),
      maxSurge: share,
      maxUnavailable: share,
    })
    .map(({ type, maxSurge, maxUnavailable, init, ...parts }) =>
      service({ ...parts, ...init, name, strategy: { type, maxSurge, maxUnavailable } }),
    )

const state: fc.Arbitrary<DesiredState> = fc
  .record({
    web: fc.option(serviceNamed('web')),
    api: fc.option(serviceNamed('api')),
    db: serviceNamed('db'),
    requires: fc.boolean(),
  })
  .map(({ web, api, db, requires }) =>
    desired(
      application('db', [db]),
      ...(api === null ? [] : [application('api', [api], { requires: ['db'] })]),
      ...(web === null ? [] : [application('web', [web], { requires: requires ? ['db'] : [] })]),
    ),
  )

/** What the world may do to one container. */
type Mischief = (one: SimulatedContainer) => SimulatedContainer | undefined

const mischief = fc.constantFrom<Mischief[]>(
  one => one,
  one => ({ ...one, state: 'exited', exitCode: 137, gated: false }),
  one => ({ ...one, state: 'created', gated: false, isHalfMade: true }),
  one => ({ ...one, state: 'paused' }),
  one => ({ ...one, networks: [] }),
  one => ({ ...one, state: 'dead', gated: false }),
  one => ({ ...one, engineDigest: `sha256:${'f'.repeat(64)}` }),
  one => ({ ...one, networks: [...one.networks, 'bridge'] }),
  one => ({ ...one, settings: { limits: { restart: { name: 'always' } }, aliases: {} } }),
  one => ({ ...one, settings: { limits: { restart: { name: 'no' } }, aliases: { prod: [] } } }),
  one => ({ ...one, engineName: `mine-${one.id}` }),
  () => undefined,
)

describe('applying a plan', () => {
  it('G2 leaves nothing to plan, from nothing and from any other state', () => {
    fc.assert(
      fc.property(state, state, (first, second) => {
        const begun = applied(emptySite, first, first)
        expect(changesAt(begun, first, first)).to.deep.equal([])
        const moved = applied(begun, first, second)
        expect(changesAt(moved, second, second)).to.deep.equal([])
      }),
      { numRuns: 40 },
    )
  })

  it('D9 leaves nothing to plan after whatever the world did', () => {
    fc.assert(
      fc.property(state, fc.array(mischief, { minLength: 6, maxLength: 6 }), (wanted, acts) => {
        const begun = applied(emptySite, wanted, wanted)
        const harmed = harm(begun, acts)
        const mended = applied(applied(harmed, wanted, wanted), wanted, wanted)
        expect(changesAt(mended, wanted, wanted)).to.deep.equal([])
      }),
      { numRuns: 40 },
    )
  })
})

function planAt(site: SimulatedSite, applied: DesiredState, wanted: DesiredState) {
  return planOf({ desired: wanted, live: liveOf(site), applied, networks: [...site.networks] })
}

function changesAt(site: SimulatedSite, applied: DesiredState, wanted: DesiredState) {
  return planAt(site, applied, wanted).changes.map(({ service, action, reason }) => ({
    service,
    action,
    reason,
  }))
}

function applied(site: SimulatedSite, before: DesiredState, wanted: DesiredState): SimulatedSite {
  const { changes } = planAt(site, before, wanted)
  return changes.reduce((now, change) => {
    const { site, failed } = carryOut(now, [change.prepare, ...courseOf(change)])
    expect(failed).to.equal(undefined)
    return site
  }, site)
}

function harm(site: SimulatedSite, acts: readonly Mischief[]) {
  const containers = [...site.containers.values()].flatMap(
    (one, index) => acts[index % acts.length]?.(one) ?? [],
  )
  return { ...site, containers: new Map(containers.map(one => [one.engineName, one] as const)) }
}
