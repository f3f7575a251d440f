import type { Application, Service } from '../state/application.ts'
import type { DesiredState } from '../state/desired.ts'
import type { LiveContainer, LiveState } from '../state/live.ts'
import type { Cause } from './change.ts'
import {
  groupInstances,
  isRunning,
  type LiveInstance,
  type WantedInstance,
  wantedInstance,
} from './instance.ts'
import { type Since, sinceWhen } from './since.ts'
import { targetOf } from './target.ts'
import { pinAsRunning } from './unknown.ts'

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
}

/** A wanted instance that is there. */
export type Match = { readonly wanted: WantedInstance; readonly live: LiveInstance; readonly since: Since }

/** A service that differs, and why (G2: only over what we set). */
export type Difference = Comparison & { readonly kind: Cause; readonly faults: readonly Fault[] }

/** What the world did to one container of a matched instance. */
export type Fault = {
  readonly live: LiveInstance
  readonly wanted: WantedInstance
  readonly container: LiveContainer
  readonly what: FaultKind
}

export type FaultKind =
  | { readonly is: 'stopped'; readonly exitCode?: number }
  | { readonly is: 'paused' }
  | { readonly is: 'detached'; readonly network: string }

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

/** Compares what is wanted with what one site runs. Containers of blocked applications are left out (D15). */
export function diff(desired: DesiredState, live: LiveState, applied: Applied): DiffResult {
  const groups = groupByService(live.containers)
  const differences: Difference[] = []
  const inSync: Comparison[] = []
  const undecided: Undecided[] = []
  const declared = new Set<string>()
  for (const application of desired.applications) {
    for (const service of application.services) {
      const key = serviceKey(application.name, service.name)
      declared.add(key)
      const containers = groups.get(key) ?? []
      const pinned = pinAsRunning(desired.environment, application, service, containers)
      if (pinned.state === 'unknown') {
        undecided.push({ site: live.site, application: application.name, reason: pinned.reason })
        continue
      }
      const comparison = compare(
        desired.environment,
        live.site,
        application,
        pinned.service,
        containers,
        applied,
      )
      const difference = differenceOf(comparison, applied)
      if (difference === undefined) inSync.push(comparison)
      else differences.push(difference)
    }
  }
  const blocked = new Set(desired.blocked.map(({ application }) => application))
  for (const [key, containers] of groups) {
    const [first] = containers
    if (declared.has(key) || blocked.has(first.application)) continue
    differences.push(orphaned(live.site, first, groupInstances(containers)))
  }
  return { differences, inSync, undecided }
}

function compare(
  environment: string,
  site: string,
  application: Application,
  service: Service,
  containers: readonly LiveContainer[],
  applied: Applied,
): Comparison {
  const unmatched = byPreference(
    groupInstances(containers.filter(({ role }) => role === 'app' || role === 'sandbox')),
  )
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
  const before = applied.get(`${site}/${application.name}/${service.name}`)?.target
  const since = sinceWhen(
    pairs.map(({ live }) => live),
    before,
  )
  return {
    site,
    application: application.name,
    service: service.name,
    declared: { application, service },
    target: targetOf(wanted.map(({ fingerprint }) => fingerprint)),
    matched: pairs.map(pair => ({ ...pair, since: since.get(pair.live) ?? 'unknown' })),
    missing,
    surplus: unmatched,
  }
}

function differenceOf(comparison: Comparison, applied: Applied): Difference | undefined {
  const { site, application, service, matched, missing, surplus, target } = comparison
  const faults = matched.flatMap(({ wanted, live }) => faultsOf(wanted, live))
  if (missing.length === 0 && surplus.length === 0 && faults.length === 0) return undefined
  const wasApplied = applied.get(`${site}/${application}/${service}`)?.target === target
  // What never came to its end is no drift, however much of it is there: a crash may have left it half-made.
  const kind = wasApplied ? 'drifted' : matched.length + surplus.length === 0 ? 'missing' : 'diverged'
  return { ...comparison, kind, faults }
}

function faultsOf(wanted: WantedInstance, live: LiveInstance): readonly Fault[] {
  const network = wanted.instance.network.name
  return live.containers.flatMap(container =>
    [standstillOf(container), lossOf(container, network)].flatMap(what =>
      what === undefined ? [] : [{ live, wanted, container, what }],
    ),
  )
}

function standstillOf({ state, exitCode }: LiveContainer): FaultKind | undefined {
  if (state === 'running' || state === 'restarting') return undefined
  if (state === 'paused') return { is: 'paused' }
  return { is: 'stopped', ...(exitCode === undefined ? {} : { exitCode }) }
}

function lossOf({ networks }: LiveContainer, network: string): FaultKind | undefined {
  return networks.includes(network) ? undefined : { is: 'detached', network }
}

function orphaned(site: string, first: LiveContainer, surplus: readonly LiveInstance[]): Difference {
  const { application, service } = first
  return {
    site,
    application,
    service,
    target: 'absent',
    matched: [],
    missing: [],
    surplus,
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
