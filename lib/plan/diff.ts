import type { Application, Service } from '../state/application.ts'
import type { DesiredState } from '../state/desired.ts'
import { digestOf } from '../state/fingerprint.ts'
import { isJob, isKept } from '../state/job-container.ts'
import type { LiveContainer, LiveState } from '../state/live.ts'
import { type Cause, keyOf } from './change.ts'
import { type Fault, faultsOf } from './faults.ts'
import {
  groupInstances,
  isRunning,
  type LiveInstance,
  type WantedInstance,
  wantedInstance,
} from './instance.ts'
import { type WantedJob, wantedJobs } from './job.ts'
import { type Since, sinceWhen } from './since.ts'
import { targetOf } from './target.ts'
import { pinAsRunning } from './unknown.ts'
import { strategyFor } from './upgrade.ts'

/** One service on one site, compared: what is wanted, what is there, and what pairs up. */
export type Comparison = {
  readonly site: string
  readonly application: string
  readonly service: string
  /** Absent when the service is no longer declared. */
  readonly declared?: { readonly application: Application; readonly service: Service }
  /** Hash of the wanted fingerprints; `absent` when nothing is wanted. */
  readonly target: string
  /** Wanted and there. */
  readonly matched: readonly Match[]
  /** Wanted and not there. */
  readonly missing: readonly WantedInstance[]
  /** There and not wanted. */
  readonly surplus: readonly LiveInstance[]
  /** Whether bringing this about is a rollout: what is wanted was not applied before, and more than the number differs (H5). */
  readonly isRollout: boolean
  /** What such a rollout runs once. */
  readonly jobs: readonly WantedJob[]
  /** The rollout was interrupted so late that its jobs are put away already: none is run again (H22). */
  readonly areJobsDone: boolean
  /** Containers of jobs that are there: of a rollout that was interrupted, this one or another. */
  readonly begun: readonly LiveContainer[]
  /** It was being brought to this target when the process ended: it has yet to pass the gate. */
  readonly isInterrupted: boolean
  /** Old instances of the application's other services, where all stop before any starts anew (A40). */
  readonly beside?: readonly LiveInstance[]
  /** Why the wanted version may not follow the one that runs (A42). */
  readonly noPath?: string
}

/** A wanted instance that is there. */
export type Match = { readonly wanted: WantedInstance; readonly live: LiveInstance; readonly since: Since }

/** A service that differs, and why (G2: only over what we set). */
export type Difference = Comparison & { readonly kind: Cause; readonly faults: readonly Fault[] }

/** What was last brought to its desired state, per `site/application/service`: tells drift from a first deployment. */
export type Applied = ReadonlyMap<string, { readonly target: string }>

/** Of a service whose image nobody could resolve; it is neither equal nor changed (D5). */
export type Undecided = { readonly site: string; readonly application: string; readonly reason: string }

export type DiffResult = {
  readonly differences: readonly Difference[]
  /** Services that are as wanted. */
  readonly inSync: readonly Comparison[]
  readonly undecided: readonly Undecided[]
}

/** What the journal knows of earlier rollouts. Keys are `site/application/service`. */
export type Past = {
  readonly applied: Applied
  /** What a service is being brought to, or was when the process ended. */
  readonly attempts?: ReadonlyMap<string, { readonly target: string }>
  /** Images for which a deploy went well before, as `site/application/digest`. */
  readonly deployed?: ReadonlySet<string>
}

/** Compares what is wanted with what one site runs. Containers of blocked applications are left out (D15). */
export function diff(desired: DesiredState, live: LiveState, past: Past): DiffResult {
  const groups = groupByService(live.containers)
  const differences: Difference[] = []
  const inSync: Comparison[] = []
  const undecided: Undecided[] = []
  const declared = new Set<string>()
  for (const application of desired.applications) {
    const versions = runningVersions(application.name, live)
    for (const service of application.services) {
      const key = serviceKey(application.name, service.name)
      declared.add(key)
      const containers = groups.get(key) ?? []
      const pinned = pinAsRunning(desired.environment, application, service, containers)
      if (pinned.state === 'unknown') {
        undecided.push({ site: live.site, application: application.name, reason: pinned.reason })
        continue
      }
      const way = strategyFor(application, pinned.service, versions)
      const chosen = 'strategy' in way ? { ...pinned.service, strategy: way.strategy } : pinned.service
      const comparison = {
        ...compare(desired.environment, live.site, application, chosen, containers, past),
        ...('noPath' in way ? { noPath: way.noPath } : way.stopsAll ? { beside: [] } : {}),
      }
      const difference = differenceOf(comparison, chosen, past.applied)
      if (difference === undefined) inSync.push(comparison)
      else differences.push(difference)
    }
  }
  const blocked = new Set(desired.blocked.map(({ application }) => application))
  for (const [key, containers] of groups) {
    const [first] = containers
    if (declared.has(key) || blocked.has(first.application) || first.isExternal) continue
    differences.push(orphaned(live.site, first, containers))
  }
  return { differences: withThoseBeside(differences), inSync, undecided }
}

function compare(
  environment: string,
  site: string,
  application: Application,
  service: Service,
  containers: readonly LiveContainer[],
  { applied, attempts, deployed }: Past,
): Comparison {
  const unmatched = byPreference(groupInstances(containers))
  const wantedAt = (index: number, number: number) => {
    const instance = service.instances[index]
    if (instance === undefined) throw new RangeError(`no instance ${index}`)
    return wantedInstance(environment, application, service, instance, number)
  }
  const pairs: { wanted: WantedInstance; live: LiveInstance }[] = []
  const open: number[] = []
  for (const index of service.instances.keys()) {
    const { fingerprint, containers: names } = wantedAt(index, index + 1)
    const at = unmatched.findIndex(live => live.fingerprint === fingerprint && isGenuine(live, names.length))
    const [live] = at < 0 ? [] : unmatched.splice(at, 1)
    if (live === undefined) open.push(index)
    else pairs.push({ wanted: wantedAt(index, live.number), live })
  }
  const taken = new Set(
    [...pairs.map(({ live }) => live), ...unmatched].map(
      ({ number, fingerprint }) => `${number} ${fingerprint}`,
    ),
  )
  const missing = open.map(index => {
    for (let number = 1; ; number++) {
      const wanted = wantedAt(index, number)
      const name = `${number} ${wanted.fingerprint}`
      if (taken.has(name)) continue
      taken.add(name)
      return wanted
    }
  })
  const wanted = [...pairs.map(({ wanted }) => wanted), ...missing]
  const key = keyOf({ site, application: application.name, service: service.name })
  const before = applied.get(key)?.target
  const since = sinceWhen(
    pairs.map(({ live }) => live),
    before,
  )
  const target = targetOf(
    wanted.map(({ fingerprint }) => fingerprint),
    service.proxy?.mark,
  )
  const matched = pairs.map(pair => ({ ...pair, since: since.get(pair.live) ?? ('unknown' as const) }))
  const jobs = wantedJobs(environment, application, service).filter(
    ({ job: { oncePerImage, container } }) =>
      !oncePerImage || !deployed?.has(`${site}/${application.name}/${digestOf(container.image.pin)}`),
  )
  const begun = containers.filter(container => isJob(container) && !isKept(container))
  const fingerprints = new Set(wanted.map(({ fingerprint }) => fingerprint))
  const hasBegun = begun.some(({ engineName }) =>
    jobs.some(({ container }) => container.engineName === engineName),
  )
  const isNew =
    matched.every(({ since }) => since !== 'before') ||
    unmatched.some(({ fingerprint }) => !fingerprints.has(fingerprint)) ||
    hasBegun
  const isInterrupted = wanted.length > 0 && target !== before && attempts?.get(key)?.target === target
  return {
    site,
    application: application.name,
    service: service.name,
    declared: { application, service },
    target,
    matched,
    missing,
    surplus: unmatched,
    isRollout: wanted.length > 0 && target !== before && isNew,
    isInterrupted,
    jobs,
    areJobsDone: isInterrupted && missing.length === 0 && !hasBegun,
    begun,
  }
}

/** Tells those that stop with the whole application which instances the other services give up. */
function withThoseBeside(differences: readonly Difference[]): readonly Difference[] {
  return differences.map(difference => {
    if (difference.beside === undefined) return difference
    const others = differences.filter(
      other => other !== difference && other.application === difference.application,
    )
    return { ...difference, beside: others.flatMap(({ surplus }) => surplus) }
  })
}

/** The versions of an application that run on a site. */
function runningVersions(name: string, { containers }: LiveState): readonly (string | undefined)[] {
  return containers
    .filter(({ application, role, state }) => application === name && role === 'app' && state === 'running')
    .map(({ version }) => version)
}

function differenceOf(comparison: Comparison, service: Service, applied: Applied): Difference | undefined {
  const { matched, missing, surplus, target, begun, isInterrupted } = comparison
  const faults = matched.flatMap(({ wanted, live }) => faultsOf(wanted, live, service))
  const isDone = missing.length + surplus.length + faults.length + begun.length === 0
  if (isDone && !isInterrupted) return undefined
  const wasApplied = applied.get(keyOf(comparison))?.target === target
  // What never came to its end is no drift, however much of it is there: a crash may have left it half-made.
  const kind = wasApplied ? 'drifted' : matched.length + surplus.length === 0 ? 'missing' : 'diverged'
  return { ...comparison, kind, faults }
}

/** Containers of one service that nobody declares any more. */
function orphaned(site: string, first: LiveContainer, containers: readonly LiveContainer[]): Difference {
  const { application, service } = first
  return {
    site,
    application,
    service,
    target: 'absent',
    matched: [],
    missing: [],
    surplus: groupInstances(containers),
    isRollout: false,
    isInterrupted: false,
    jobs: [],
    areJobsDone: false,
    begun: containers.filter(isJob),
    kind: 'orphaned',
    faults: [],
  }
}

/** Running and healthy first, then by number: what is kept when there are more than wanted. */
function byPreference(instances: readonly LiveInstance[]): LiveInstance[] {
  const rank = (live: LiveInstance) =>
    isRunning(live) ? (live.containers.some(({ health }) => health === 'unhealthy') ? 1 : 0) : 2
  return [...instances].sort((a, b) => rank(a) - rank(b) || a.number - b.number)
}

/** A dead or half-made instance, or one whose image is not what its label says, cannot be repaired, only replaced. */
function isGenuine(live: LiveInstance, containers: number): boolean {
  return (
    live.containers.length === containers &&
    live.containers.every(
      container =>
        container.state !== 'dead' && container.state !== 'removing' && !isImageReplaced(container),
    )
  )
}

/** The engine says it was made from another digest than its label claims. */
export function isImageReplaced({ engineDigest, digest }: LiveContainer): boolean {
  return engineDigest !== undefined && digest !== '' && engineDigest !== digest
}

function groupByService(
  containers: readonly LiveContainer[],
): ReadonlyMap<string, [LiveContainer, ...LiveContainer[]]> {
  const groups = new Map<string, [LiveContainer, ...LiveContainer[]]>()
  for (const container of containers) {
    const key = serviceKey(container.application, container.service)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [container])
    else group.push(container)
  }
  return groups
}

function serviceKey(application: string, service: string): string {
  return `${application}/${service}`
}
