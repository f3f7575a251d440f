import { onceFor } from '../../memo/once-for.ts'
import { optional } from '../../object.ts'
import type { Application, Service } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { LiveContainer, LiveState } from '../../state/running/live.ts'
import { type Cause, keyOf } from '../change/change.ts'
import { needsFirst } from '../change-order/needs-first.ts'
import { type Comparison, compare } from './comparison.ts'
import { type Fault, faultsOf, mannedGates } from './drift/faults.ts'
import { type ContainersOfService, type Orphan, orphans } from './orphaned.ts'
import type { Applied, Past } from './past.ts'
import { specificationGone } from './specification-gone.ts'
import { applicationRelease, type ServiceRelease } from './target/release.ts'
import { pinAsRunning } from './unknown.ts'
import { strategiesFor } from './version/upgrade.ts'
import {
  type Arrival,
  arrivalsOn,
  runningVersions,
  type VersionsHere,
  versionsToFollow,
} from './version/versions-here.ts'

/** A service that differs, and why (G2: only in what Tallyman sets). */
export type Difference = (DeclaredDifference | Orphan) & {
  /** Its application would get a version that is not on this site yet. */
  readonly arrival?: Arrival
}

/** A service that is declared, and is not as wanted. */
export type DeclaredDifference = Comparison & {
  readonly kind: Exclude<Cause, 'orphaned'>
  readonly faults: readonly Fault[]
  /** What runs of its application was made from a specification that no longer exists. */
  readonly isSpecificationGone?: true
}

/** A service with an image that could not be resolved. It counts neither as equal nor as changed (D5). */
export type Undecided = { readonly application: string; readonly reason: string }

/** How one site differs from what is wanted. */
export type DiffResult = {
  readonly site: string
  readonly differences: readonly Difference[]
  /** Services that are as wanted. */
  readonly inSync: readonly Comparison[]
  readonly undecided: readonly Undecided[]
}

/** Compares the desired state with what one site runs. Leaves out containers of blocked applications (D15). */
export function diff(desired: DesiredState, live: LiveState, past: Past): DiffResult {
  const groups = groupByService(live.containers)
  const manned = mannedGates(live.containers)
  const differences: Difference[] = []
  const inSync: Comparison[] = []
  const undecided: Undecided[] = []
  const declared = new Set<string>()
  const gone = specificationGone(desired, live)
  let running: VersionsHere | undefined
  const labelled = () => (running ??= runningVersions(live, past.applied))
  // What runs matters to an application that says what its version may follow, and to others only if they differ.
  const followed = desired.applications.some(hasPaths) ? versionsToFollow(live, past, labelled()) : none
  for (const application of desired.applications) {
    const strategyOf = strategiesFor(application, followed.get(application.name) ?? nothing)
    for (const service of application.services) {
      const key = serviceKey(application.name, service.name)
      declared.add(key)
      const containers = groups.get(key) ?? []
      const pinned = pinAsRunning(desired.environment, application, service, containers)
      if (pinned.state === 'unknown') {
        undecided.push({ application: application.name, reason: pinned.reason })
        continue
      }
      const way = strategyOf(pinned.service)
      const strategy = 'strategy' in way ? way.strategy : undefined
      const comparison = {
        ...compare(desired.environment, live.site, application, pinned.service, containers, past, strategy),
        ...('noPath' in way ? { noPath: way.noPath } : way.stopsAll ? { beside: [] } : {}),
      }
      const difference = differenceOf(comparison, pinned.service, past.applied, manned)
      if (difference === undefined) inSync.push(comparison)
      else if (gone.has(application.name) && difference.kind !== 'drifted')
        differences.push({ ...difference, isSpecificationGone: true })
      else differences.push(difference)
    }
  }
  const undeclared = [...groups].flatMap(([key, containers]) => (declared.has(key) ? [] : [containers]))
  for (const orphan of orphans(desired, live.site, undeclared, gone)) differences.push(orphan)
  const all = [...differences, ...inSync]
  const releases = applicationReleases(desired.applications, all, undecided)
  const former = all.some(({ formerRelease }) => formerRelease !== undefined)
    ? applicationReleases(desired.applications, all.map(asBefore), undecided)
    : releases
  const released = <C extends Pick<Comparison, 'application'>>(comparison: C): C => {
    const release = releases.get(comparison.application)
    const before = former.get(comparison.application)
    return {
      ...comparison,
      ...optional('applicationRelease', release),
      ...optional('formerApplicationRelease', before === release ? undefined : before),
    }
  }
  return {
    site: live.site,
    differences: withArrivals(withThoseBeside(differences).map(released), () =>
      arrivalsOn(desired.applications, labelled(), past.applied),
    ),
    inSync: inSync.map(released),
    undecided,
  }
}

const none: VersionsHere = new Map()
const nothing: ReadonlySet<string> = new Set()

function hasPaths({ upgrades }: Application): boolean {
  return upgrades !== undefined
}

/** Returns what the release of an application was made of before it said how volumes are made. */
function asBefore<C extends ServiceRelease>(comparison: C): C {
  return { ...comparison, release: comparison.formerRelease ?? comparison.release }
}

/**
 * Returns the release of each application, from itself and what it requires; none if one of their images is unknown.
 */
function applicationReleases(
  applications: readonly Application[],
  comparisons: readonly Pick<Comparison, 'application' | 'service' | 'release'>[],
  undecided: readonly Undecided[],
): ReadonlyMap<string, string> {
  const services = Map.groupBy(comparisons, ({ application }) => application)
  const unknown = new Set(undecided.map(({ application }) => application))
  const known = new Map<string, string>()
  for (const application of requiredFirst(applications)) {
    const { name, requires } = application
    const required = requires.flatMap(one => known.get(one.application) ?? [])
    if (unknown.has(name) || required.length < requires.length) continue
    const own = new Map((services.get(name) ?? []).map(({ service, release }) => [service, release]))
    known.set(name, applicationRelease(application, own, required))
  }
  return known
}

/** Returns applications in an order in which each comes after those that it requires. It is the same on all sites. */
const requiredFirst = onceFor((applications: readonly Application[]): readonly Application[] => {
  const byName = new Map(applications.map(application => [application.name, application]))
  return needsFirst(applications, ({ requires }) =>
    requires.flatMap(({ application }) => byName.get(application) ?? []),
  )
})

/** Says whether acting on a difference would bring another version. Nothing is gone through for a site without one. */
function withArrivals(
  differences: readonly Difference[],
  arrivals: () => ReturnType<typeof arrivalsOn>,
): readonly Difference[] {
  if (differences.length === 0) return differences
  const arrivalOf = arrivals()
  return differences.map(difference => ({ ...difference, ...optional('arrival', arrivalOf(difference)) }))
}

/** Adds the instances that the other services give up, for services that stop with the whole application. */
function withThoseBeside(differences: readonly Difference[]): readonly Difference[] {
  const byApplication = Map.groupBy(differences, ({ application }) => application)
  return differences.map(difference => {
    if (difference.beside === undefined) return difference
    const all = byApplication.get(difference.application) ?? []
    const others = all.filter(other => other !== difference)
    return { ...difference, beside: others.flatMap(({ surplus }) => surplus) }
  })
}

function differenceOf(
  comparison: Comparison,
  service: Service,
  applied: Applied,
  manned: ReadonlySet<string>,
): Difference | undefined {
  const { matched, missing, surplus, target, begun, leftOver, isInterrupted } = comparison
  // What somebody changed in a service of a Swarm shows in its specification.
  const faults = matched.flatMap(({ wanted, live }) =>
    wanted.instance.runs === undefined ? faultsOf(wanted, live, service, manned) : [],
  )
  const isDone = missing.length + surplus.length + faults.length + begun.length + leftOver.length === 0
  if (isDone && !isInterrupted) return undefined
  const wasApplied = applied.get(keyOf(comparison))?.target === target
  // What was never completed is no drift, however much of it exists: a crash may have left it half-made.
  const kind = wasApplied ? 'drifted' : matched.length + surplus.length === 0 ? 'missing' : 'diverged'
  return { ...comparison, kind, faults }
}

function groupByService(containers: readonly LiveContainer[]): ReadonlyMap<string, ContainersOfService> {
  const groups = new Map<string, [LiveContainer, ...LiveContainer[]]>()
  for (const container of containers) {
    const key = serviceKey(container.application, container.service)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [container])
    else group.push(container)
  }
  return groups
}

/** Returns what services of one site are told apart by. */
export function serviceKey(application: string, service: string): string {
  return `${application}/${service}`
}
