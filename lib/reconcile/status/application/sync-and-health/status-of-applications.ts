import type { AppliedTarget } from '../../../../journal/services/applied.ts'
import type { Trouble } from '../../../../journal/services/troubles.ts'
import { type Change, keyOf, splitKey } from '../../../../plan/change/change.ts'
import type { Undecided } from '../../../../plan/compare/diff.ts'
import { groupInstances } from '../../../../plan/compare/instance/instance.ts'
import { notNamedReason } from '../../../../plan/compare/orphaned.ts'
import type { DesiredState } from '../../../../state/application/desired.ts'
import { ingressName, type Route } from '../../../../state/application/ingress/route.ts'
import { metadataName } from '../../../../state/application/metadata.ts'
import { isOfInstance } from '../../../../state/running/job-container.ts'
import type { LiveContainer, LiveState } from '../../../../state/running/live.ts'
import { byText } from '../../../../text/order.ts'
import { leftOversIn, withoutServices } from '../../../site/result/left-overs.ts'
import type { ApplicationStatus } from '../application-status.ts'
import type { QueuedVersion } from '../waiting/queue-view.ts'
import { declaredStatus } from './declared-status.ts'
import { ifAny } from './if-any.ts'
import { observed } from './observed.ts'
import { frontOf, loadedRouteStatuses } from './route-status.ts'

export type StatusInput = {
  readonly desired: DesiredState
  /** What the site runs. */
  readonly live: LiveState
  readonly changes: readonly Change[]
  readonly undecided: readonly Undecided[]
  /** What failed after a release was in place (H30). */
  readonly troubles: readonly Trouble[]
  /** The routes that the ingress of the site loaded last; none: unknown. */
  readonly loaded: readonly Route[]
  /** What was applied there, by the keys of its services; absent: that is not known. */
  readonly applied?: ReadonlyMap<string, Pick<AppliedTarget, 'target'>>
  /** What waits, by application. */
  readonly queues?: ReadonlyMap<string, readonly QueuedVersion[]>
}

/** Returns the status of each application of an environment on one site, by name. */
export function statusOfApplications({
  desired,
  live,
  changes: all,
  undecided,
  troubles,
  loaded,
  applied = new Map(),
  queues,
}: StatusInput): readonly ApplicationStatus[] {
  const { site, containers } = live
  const leftOvers = leftOversIn(all, desired)
  const left = new Set(leftOvers)
  const changes = all.filter(change => !left.has(change))
  const leftOverOf = firstOfEach(leftOvers)
  const counted = withoutServices(live, leftOvers).containers
  const parts = Map.groupBy(counted.filter(isOfInstance), ({ application }) => application)
  const liveOf = (name: string) => parts.get(name) ?? []
  const front = frontOf(liveOf(ingressName).some(isIngressUp), loaded)
  const changeOf = firstOfEach(changes)
  const others = new Set(changes.filter(({ cause }) => cause !== 'drifted').map(one => one.application))
  const troubleOf = firstOfEach(troubles)
  const undecidedOf = firstOfEach(undecided)
  const declared = desired.applications.map(application =>
    declaredStatus({ site, environment: desired.environment }, application, liveOf(application.name), {
      change: changeOf.get(application.name),
      leftOver: leftOverOf.get(application.name),
      isOther: others.has(application.name),
      unknown: undecidedOf.get(application.name)?.reason,
      trouble: troubleOf.get(application.name),
      queue: queues?.get(application.name),
      targetOf: service => applied.get(keyOf({ site, application: application.name, service }))?.target,
      front,
    }),
  )
  /** What is there of an application of which nobody knows what is wanted, or that is not. */
  const found = (name: string) => ({
    ...observed(site, name, liveOf(name)),
    ...ifAny('routes', loadedRouteStatuses(name, liveOf(name), front)),
  })
  const lacking = desired.blocked.length === 0 ? new Map<string, []>() : lackingIn(applied, site, containers)
  const blocked = desired.blocked.map(({ application, problems: [{ message, code }] }): ApplicationStatus => {
    const services = lacking.get(application) ?? []
    const gone = services.length === 0 ? '' : `; nothing is there of ${services.join(', ')}`
    return {
      ...found(application),
      ...(services.length === 0 ? {} : { health: 'Missing' }),
      sync: 'Unknown',
      reason: `${message}${gone}`,
      code,
    }
  })
  const idle = (desired.idle ?? [])
    .filter(name => liveOf(name).length === 0)
    .map(
      (name): ApplicationStatus => ({
        ...observed(site, name, []),
        sync: 'Synced',
        health: 'Healthy',
        wanted: 0,
        reason: 'names nothing to run',
      }),
    )
  const known = new Set([...declared, ...blocked].map(({ application }) => application))
  const orphaned = [...parts.keys()]
    .filter(name => !known.has(name))
    .map((name): ApplicationStatus => {
      const change = changeOf.get(name)
      if (name === metadataName && change === undefined) return kept(site, name, liveOf(name))
      const reason = change?.held?.reason ?? change?.reason ?? notNamedReason
      return { ...found(name), sync: 'OutOfSync', wanted: 0, reason }
    })
  return [...declared, ...blocked, ...idle, ...orphaned].sort(byText(({ application }) => application))
}

/** Returns the services that were applied and of which nothing is there, by application. */
function lackingIn(
  applied: ReadonlyMap<string, unknown>,
  site: string,
  containers: readonly LiveContainer[],
): ReadonlyMap<string, readonly string[]> {
  const there = new Set(containers.map(one => keyOf({ site, ...one })))
  const gone = [...applied.keys()].filter(key => !there.has(key)).map(splitKey)
  const byApplication = Map.groupBy(gone, ({ application }) => application)
  return new Map(
    [...byApplication].map(([application, services]) => [
      application,
      services.map(({ service }) => service).sort(),
    ]),
  )
}

/** What is blocked may be a pod, which still asks the metadata service. */
function kept(site: string, name: string, live: readonly LiveContainer[]): ApplicationStatus {
  const reason = 'stays for the pods that are blocked'
  return { ...observed(site, name, live), sync: 'Synced', wanted: groupInstances(live).length, reason }
}

/** Returns the first entry for each application. */
function firstOfEach<One extends { readonly application: string }>(
  all: readonly One[],
): ReadonlyMap<string, One> {
  return new Map(all.toReversed().map(one => [one.application, one]))
}

/** Whether it is an ingress that runs, on a Swarm on any node. */
function isIngressUp({ service, state, runs }: LiveContainer): boolean {
  return service === ingressName && state === 'running' && runs?.running !== 0
}
