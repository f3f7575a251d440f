import type { ErrorCode } from '../../../errors/catalogue.ts'
import type { Trouble } from '../../../journal/services/troubles.ts'
import { optional } from '../../../object.ts'
import { type Change, walkText } from '../../../plan/change/change.ts'
import type { Undecided } from '../../../plan/compare/diff.ts'
import { groupInstances } from '../../../plan/compare/instance.ts'
import { notNamedReason } from '../../../plan/compare/orphaned.ts'
import type { Application, Service } from '../../../state/application/application.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { isOfOperator } from '../../../state/application/ingress/external.ts'
import { ingressName } from '../../../state/application/ingress/route.ts'
import { metadataName } from '../../../state/application/metadata.ts'
import type { IsolatorOutcome } from '../../../state/application/pod/pod.ts'
import { imageTag, versionOf } from '../../../state/application/version-of.ts'
import {
  containerHealth,
  type HealthStatus,
  type SyncStatus,
  worstHealth,
} from '../../../state/running/health.ts'
import { isOfInstance } from '../../../state/running/job-container.ts'
import type { LiveContainer, LiveState, NodeOfTasks } from '../../../state/running/live.ts'
import { byText } from '../../../text/order.ts'
import type { AwaitedApproval } from './awaited-approval.ts'
import { conditionOf } from './condition.ts'
import { instancesHealth, instancesRunning, instancesWanted } from './instances.ts'
import type { QueuedVersion } from './queue-view.ts'
import { type RouteStatus, routeStatuses } from './route-status.ts'

/** One application on one site: sync, health, and the reason (G13). */
export type ApplicationStatus = {
  readonly site: string
  readonly application: string
  readonly sync: SyncStatus
  readonly health: HealthStatus
  /** The running version: that of the specification or the manifest, or else the image's tag (X19). */
  readonly version: string
  /** The desired version, if it is another one. */
  readonly wantedVersion?: string
  /** Another content of the version that is here is wanted (A11). */
  readonly otherContent?: true
  /** The number of running instances, of those that are wanted. */
  readonly running: number
  /**
   * Absent while it is unknown: the application is blocked, or has a service with one task on each node that is not there.
   */
  readonly wanted?: number
  readonly commit: string
  readonly reason: string
  /** Why it is held or blocked, as a code of docs/errors.md; absent: it is neither. */
  readonly code?: ErrorCode
  /** What a person has to approve before it goes on, if no code says why it does not; absent: nothing. */
  readonly approval?: AwaitedApproval
  /** When it was seen like this, in ISO 8601, if its site does not answer now. */
  readonly seenAt?: string
  /** Since when it is held, or its site does not answer, in ISO 8601. */
  readonly since?: string
  /** When it goes on by itself, in ISO 8601, if that is known. */
  readonly until?: string
  /** The versions that wait here, in the order in which they came, the wanted one last; absent: none does (A65). */
  readonly queue?: readonly QueuedVersion[]
  /** When the upgrade window closes that is open now, in ISO 8601, if another version needs it. */
  readonly windowEnds?: string
  /** Where users' requests go; absent: it has no routes. */
  readonly routes?: readonly RouteStatus[]
  /** Where the tasks of its services run, if its site is a Swarm; absent: it is none, or none runs. */
  readonly tasks?: readonly TasksStatus[]
  /** What becomes of the isolators of a pod; absent: there are none (C40). */
  readonly isolators?: readonly IsolatorOutcome[]
}

export type TasksStatus = NodeOfTasks & { readonly service: string }

export type StatusInput = {
  readonly desired: DesiredState
  /** What the site runs. */
  readonly live: LiveState
  readonly changes: readonly Change[]
  readonly undecided: readonly Undecided[]
  /** What failed after a release was in place (H30). */
  readonly troubles: readonly Trouble[]
  /** What waits, by application. */
  readonly queues?: ReadonlyMap<string, readonly QueuedVersion[]>
}

/** Returns the status of each application of an environment on one site, by name. */
export function statusOfApplications({
  desired,
  live: { site, containers },
  changes,
  undecided,
  troubles,
  queues,
}: StatusInput): readonly ApplicationStatus[] {
  const parts = Map.groupBy(containers.filter(isOfInstance), ({ application }) => application)
  const liveOf = (name: string) => parts.get(name) ?? []
  const isAnswering = liveOf(ingressName).some(isIngressUp)
  const changeOf = firstOfEach(changes)
  const others = new Set(changes.filter(({ cause }) => cause !== 'drifted').map(one => one.application))
  const troubleOf = firstOfEach(troubles)
  const undecidedOf = firstOfEach(undecided)
  const declared = desired.applications.map(application =>
    declaredStatus(site, application, liveOf(application.name), {
      change: changeOf.get(application.name),
      isOther: others.has(application.name),
      unknown: undecidedOf.get(application.name)?.reason,
      trouble: troubleOf.get(application.name),
      queue: queues?.get(application.name),
      isAnswering,
    }),
  )
  const blocked = desired.blocked.map(
    ({ application, problems }): ApplicationStatus => ({
      ...observed(site, application, liveOf(application)),
      sync: 'Unknown',
      reason: problems[0].message,
      code: problems[0].code,
    }),
  )
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
      return { ...observed(site, name, liveOf(name)), sync: 'OutOfSync', wanted: 0, reason }
    })
  return [...declared, ...blocked, ...idle, ...orphaned].sort(byText(({ application }) => application))
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

/** What is known of one application on one site besides its containers. */
type Known = {
  readonly change: Change | undefined
  /** Whether any change of it is no repair. */
  readonly isOther: boolean
  /** Why an image of it could not be resolved. */
  readonly unknown: string | undefined
  readonly trouble: Trouble | undefined
  readonly queue: readonly QueuedVersion[] | undefined
  /** Whether the ingress of the site runs, without which no instance gets a request. */
  readonly isAnswering: boolean
}

/** Whether it is an ingress that runs, on a Swarm on any node. */
function isIngressUp({ service, state, runs }: LiveContainer): boolean {
  return service === ingressName && state === 'running' && runs?.running !== 0
}

function declaredStatus(
  site: string,
  declared: Application,
  live: readonly LiveContainer[],
  { change, isOther, unknown, trouble, queue, isAnswering }: Known,
): ApplicationStatus {
  const { name, services } = declared
  const instances = services.reduce((sum, service) => sum + service.instances.length, 0)
  const found = observed(site, name, live, services[0])
  // The version of the operator's own ingress is unknown.
  const wantedVersion = services.some(isOfOperator) ? found.version : versionOf(declared)
  // While an image is unknown, nobody can say that the wanted version is here.
  const settled = (change === undefined && unknown === undefined) || live.length === 0
  return {
    ...found,
    sync: unknown !== undefined ? 'Unknown' : change === undefined ? 'Synced' : 'OutOfSync',
    health: instancesHealth(live, instances),
    version: settled ? wantedVersion : found.version,
    ...(settled || wantedVersion === found.version ? {} : { wantedVersion }),
    ...(!settled && isOther && wantedVersion === found.version ? { otherContent: true } : {}),
    ...optional('wanted', instancesWanted(services, live)),
    reason: unknown ?? change?.held?.reason ?? whyOf(change) ?? trouble?.message ?? conditionOf(live) ?? '',
    ...optional('code', change?.held?.code),
    ...timeOf('since', change?.held?.sinceMs ?? (change === undefined ? trouble?.atMs : undefined)),
    ...timeOf('until', change?.held?.untilMs),
    ...optional('queue', change === undefined ? undefined : queue),
    ...listed('routes', routeStatuses(services, live, isAnswering)),
    ...listed('tasks', tasksOn(live)),
    ...listed('isolators', isolatorsIn(services)),
  }
}

function tasksOn(live: readonly LiveContainer[]): readonly TasksStatus[] {
  return live.flatMap(({ service, runs }) => (runs?.nodes ?? []).map(one => ({ service, ...one })))
}

/** Instances of one pod manifest have the same isolators. */
function isolatorsIn(services: readonly Service[]): readonly IsolatorOutcome[] {
  return services.flatMap(({ instances }) => instances[0]?.pod?.isolators ?? [])
}

/** What there is none of is left out. */
function listed<Name extends string, One>(
  name: Name,
  all: readonly One[],
): { readonly [name in Name]?: readonly One[] } {
  return optional(name, all.length === 0 ? undefined : all)
}

function whyOf(change: Change | undefined): string | undefined {
  return change?.walk === undefined ? change?.reason : walkText({ ...change, walk: change.walk })
}

/**
 * Returns what the engine shows of an application. Its version and commit are those of the container whose tag is its
 * wanted version: the first one of its first service (X19). Without a specification, it is any app's container.
 */
function observed(
  site: string,
  application: string,
  live: readonly LiveContainer[],
  firstService?: Pick<Service, 'name' | 'instances'>,
) {
  // A sandbox has the labels of its instance, but an image of its own.
  const apps = live.filter(({ role }) => role === 'app')
  const named = firstService?.instances[0]?.containers[0].name
  const isFirst = ({ service, container }: LiveContainer) =>
    service === firstService?.name && container === named
  const first = apps.find(isFirst) ?? apps[0] ?? live[0]
  return {
    site,
    application,
    health: first === undefined ? ('Missing' as const) : worstHealth(live.map(containerHealth)),
    version: first?.version ?? imageTag(first?.image ?? ''),
    running: instancesRunning(live),
    commit: first?.commit ?? '',
  }
}

function timeOf<K extends 'since' | 'until'>(
  name: K,
  ms: number | undefined,
): { readonly [name in K]?: string } {
  return optional(name, ms === undefined ? undefined : new Date(ms).toISOString())
}
