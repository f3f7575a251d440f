import type { Application, Instance, Service, Strategy } from '../state/application.ts'
import { contentOf } from '../state/fingerprint.ts'
import { isJob, isKept } from '../state/job-container.ts'
import type { LiveContainer } from '../state/live.ts'
import { keyOf } from './change.ts'
import {
  type Alike,
  alikeOf,
  groupInstances,
  isRunning,
  type LiveInstance,
  type WantedContainer,
  type WantedInstance,
  wantedInstance,
} from './instance.ts'
import { type WantedJob, wantedJobs } from './job.ts'
import { outOfTheWay, underItsNames } from './names.ts'
import { releaseOf } from './release.ts'
import { type Since, sinceWhen } from './since.ts'
import { targetOf } from './target.ts'

/** One service on one site, compared: what is wanted, what is there, and what pairs up. */
export type Comparison = {
  readonly site: string
  readonly application: string
  readonly service: string
  /** Absent when the service is no longer declared. */
  readonly declared?: { readonly application: Application; readonly service: Service }
  /** The wanted fingerprints as one value; `absent` when nothing is wanted. */
  readonly target: string
  /** What that is released as; approvals and attempts speak of it (D18). */
  readonly release: string
  /** The same of the whole application and what it requires; undefined while an image of theirs is unknown. */
  readonly applicationRelease?: string
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
  /** Containers of this rollout's jobs that are there: it was interrupted, and goes on from them (H22). */
  readonly begun: readonly LiveContainer[]
  /** Containers of jobs that are there of another rollout, or of a try of this one that has ended. */
  readonly leftOver: readonly LiveContainer[]
  /** An attempt of ours at something else has no end yet: what it changed is not the world's doing (D18). */
  readonly isHalfway?: true
  /** A mid hook of an attempt without an end has run, or runs: no old version is started again by itself (H29). */
  readonly isPastReturn?: true
  /** It was being brought to this target when the process ended: it has yet to pass the gate. */
  readonly isInterrupted: boolean
  /** Old instances of the application's other services, where all stop before any starts anew (A40). */
  readonly beside?: readonly LiveInstance[]
  /** Why the wanted version may not follow the one that runs (A42). */
  readonly noPath?: string
}

/** A wanted instance that is there. */
export type Match = { readonly wanted: WantedInstance; readonly live: LiveInstance; readonly since: Since }

/** What was last brought to its desired state, per `site/application/service`: tells drift from a first deployment. */
export type Applied = ReadonlyMap<string, { readonly target: string }>

/**
 * Who began to change what serves owes its end (D18). `open`: neither done nor failed. `failed`: what was before is yet
 * to be put back. `ended`: it is done, or put back.
 */
export type Attempt = {
  readonly target: string
  readonly release: string
  readonly phase: 'open' | 'failed' | 'ended'
  /** A mid hook ran and nothing was applied since: the old version is not started again by itself (H29). */
  readonly noReturn?: boolean
}

/** What the journal knows of earlier rollouts. Keys are `site/application/service`. */
export type Past = {
  readonly applied: Applied
  /** What a service is being brought to, or was when the process ended. */
  readonly attempts?: ReadonlyMap<string, Attempt>
  /** Images for which a deploy went well before, as `site/application/content`. */
  readonly deployed?: ReadonlySet<string>
}

/** What of one service is there of what is wanted, and what else is; to be brought about by that strategy. */
export function compare(
  environment: string,
  site: string,
  application: Application,
  service: Service,
  containers: readonly LiveContainer[],
  { applied, attempts, deployed }: Past,
  strategy: Strategy = service.strategy,
): Comparison {
  const unmatched = byPreference(groupInstances(containers))
  const known = new Map<Instance, Alike>()
  const wantedAt = (index: number, number: number) => {
    const instance = service.instances[index]
    if (instance === undefined) throw new RangeError(`no instance ${index}`)
    const alike = known.get(instance) ?? alikeOf(environment, application, service, instance)
    known.set(instance, alike)
    return wantedInstance(environment, instance, number, alike)
  }
  const pairs: { wanted: WantedInstance; live: LiveInstance }[] = []
  const open: number[] = []
  for (const index of service.instances.keys()) {
    const first = wantedAt(index, index + 1)
    const { fingerprint, containers: names } = first
    const at = unmatched.findIndex(live => live.fingerprint === fingerprint && isGenuine(live, names))
    const [live] = at < 0 ? [] : unmatched.splice(at, 1)
    if (live === undefined) open.push(index)
    else {
      const wanted = live.number === first.number ? first : wantedAt(index, live.number)
      pairs.push({ wanted, live: underItsNames(live, wanted) })
    }
  }
  const taken = new Set(
    [...pairs.map(({ live }) => live), ...unmatched].map(
      ({ number, fingerprint }) => `${number} ${fingerprint}`,
    ),
  )
  const lowest = new Map<string, number>()
  const missing = open.map(index => {
    const { fingerprint } = wantedAt(index, 1)
    let number = lowest.get(fingerprint) ?? 1
    while (taken.has(`${number} ${fingerprint}`)) number += 1
    lowest.set(fingerprint, number + 1)
    return wantedAt(index, number)
  })
  const wanted = [...pairs.map(({ wanted }) => wanted), ...missing]
  const names = new Set(wanted.flatMap(({ containers }) => containers.map(({ engineName }) => engineName)))
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
      !oncePerImage || !deployed?.has(`${site}/${application.name}/${contentOf(container.image.pin)}`),
  )
  const attempt = attempts?.get(key)
  const { begun, leftOver } = jobContainers(containers, jobs, attempt)
  const hasBegun = begun.length > 0
  const fingerprints = new Set(wanted.map(({ fingerprint }) => fingerprint))
  const isNew =
    matched.every(({ since }) => since !== 'before') ||
    unmatched.some(({ fingerprint }) => !fingerprints.has(fingerprint)) ||
    hasBegun
  const isInterrupted =
    wanted.length > 0 && target !== before && attempt?.target === target && attempt.phase !== 'ended'
  const release = releaseOf(target, service, application)
  const isSameRelease = attempt?.release === release && attempt.phase === 'open'
  return {
    site,
    application: application.name,
    service: service.name,
    declared: { application, service: { ...service, strategy } },
    target,
    release,
    matched,
    missing,
    surplus: unmatched.map(live => outOfTheWay(live, names)),
    isRollout: wanted.length > 0 && target !== before && isNew,
    ...(attempt !== undefined && attempt.phase !== 'ended' && attempt.target !== target
      ? { isHalfway: true }
      : {}),
    ...(isPastReturn(attempt, [...begun, ...leftOver]) ? { isPastReturn: true } : {}),
    isInterrupted,
    jobs,
    areJobsDone: isInterrupted && isSameRelease && missing.length === 0 && !hasBegun,
    begun,
    leftOver,
  }
}

/**
 * A job goes on where its rollout was interrupted. One of a try that has ended says nothing about the next try, and one
 * that does something else, though at the same stage, says nothing about this release.
 */
function jobContainers(
  containers: readonly LiveContainer[],
  jobs: readonly WantedJob[],
  attempt: Attempt | undefined,
): Pick<Comparison, 'begun' | 'leftOver'> {
  const there = containers.filter(container => isJob(container) && !isKept(container))
  const goesOn = attempt === undefined || attempt.phase === 'open'
  const names = new Set(goesOn ? jobs.map(({ container }) => container.engineName) : [])
  return {
    begun: there.filter(({ engineName }) => names.has(engineName)),
    leftOver: there.filter(({ engineName }) => !names.has(engineName)),
  }
}

/** Whether the data may be the new version's by now: a mid hook of an attempt that has no end has run, or runs (H29). */
export function isPastReturn(attempt: Attempt | undefined, jobs: readonly LiveContainer[]): boolean {
  if (attempt === undefined || attempt.phase === 'ended') return false
  return attempt.noReturn === true || jobs.some(one => one.container === 'mid' && one.state !== 'created')
}

/** Running and healthy first, then by number: what is kept when there are more than wanted. */
function byPreference(instances: readonly LiveInstance[]): LiveInstance[] {
  const rank = (live: LiveInstance) =>
    isRunning(live) ? (live.containers.some(({ health }) => health === 'unhealthy') ? 1 : 0) : 2
  return [...instances].sort((a, b) => rank(a) - rank(b) || a.number - b.number)
}

/** A dead or half-made instance, or one whose image is not what its label says, cannot be repaired, only replaced. */
function isGenuine(live: LiveInstance, wanted: readonly WantedContainer[]): boolean {
  return (
    live.containers.length === wanted.length &&
    live.containers.every(
      container =>
        container.state !== 'dead' &&
        container.state !== 'removing' &&
        !isImageReplaced(
          container,
          wanted.find(({ spec }) => spec.name === container.container),
        ),
    )
  )
}

/** The engine says it was made from another image than its label claims, or than is wanted where only the engine knows that. */
export function isImageReplaced(
  { engineDigest, digest, isFromOtherImage, imageId }: LiveContainer,
  wanted?: WantedContainer,
): boolean {
  if (isFromOtherImage) return true
  const pin = wanted?.spec.image.pin
  if (pin?.state === 'unverified') return imageId !== undefined && imageId !== pin.imageId
  return engineDigest !== undefined && digest !== '' && engineDigest !== digest
}
