import { onceFor } from '../../memo/once-for.ts'
import { optional } from '../../object.ts'
import type { Application, Service, Strategy } from '../../state/application/application.ts'
import { imageContent } from '../../state/application/fingerprint.ts'
import { routingOf } from '../../state/application/ingress/traffic.ts'
import { hashOf } from '../../state/canonical.ts'
import { isJob, isKeptContainer } from '../../state/running/job-container.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import { keyOf } from '../change/change.ts'
import { outOfTheWay, underItsNames } from '../rollout/stage/rename-steps.ts'
import { isGenuine } from './drift/genuine.ts'
import {
  alikeOf,
  groupInstances,
  isRunning,
  type LiveInstance,
  type WantedInstance,
  wantedInstance,
} from './instance.ts'
import { type WantedJob, wantedJobs } from './job.ts'
import { type Attempt, type BegunJob, isDeployed, isPastReturn, type Past } from './past.ts'
import { type BothReleases, isReleaseOf, releaseOf } from './release.ts'
import { type Since, sinceWhen } from './since.ts'
import { countIn, eachOf, targetOf } from './target.ts'

/** One service on one site, compared: what is wanted, what exists, and which of them match. */
export type Comparison = BothReleases & {
  readonly site: string
  readonly application: string
  readonly service: string
  readonly declared: { readonly application: Application; readonly service: Service }
  /** The desired fingerprints as one value; `absent` if nothing is wanted. */
  readonly target: string
  /** Instances that are wanted and exist. */
  readonly matched: readonly Match[]
  /** Instances that are wanted and do not exist. */
  readonly missing: readonly WantedInstance[]
  /** Instances that exist and are not wanted. */
  readonly surplus: readonly LiveInstance[]
  /** Nothing was applied here, and all that exists was made by an attempt at the same that has not ended. */
  readonly isFirst?: true
  /** Those of them that an interrupted attempt made, and of which parts are missing; absent: none. */
  readonly fragments?: readonly LiveInstance[]
  /** How its volumes were made when it was applied, by their names; absent: none is known. */
  readonly volumesBefore?: Readonly<Record<string, string>>
  /** How many tasks the service of a Swarm had when it was applied that is surplus now; absent: unknown. */
  readonly ranBefore?: number
  /**
   * Whether the change is a rollout: the desired state was not applied before, and differs in more than the number of
   * instances (H5).
   */
  readonly isRollout: boolean
  /**
   * The jobs that such a rollout runs once, in their order. How far they came is told by the engine (`begun`) and by the
   * record (`reached`). From both follows whether any is left to be run or put away (`areJobsDone`), and which ones run
   * yet (`dueJobs` in rollout/jobs.ts).
   */
  readonly jobs: readonly WantedJob[]
  /** The one of them that began last, as is on record; absent: none, or the attempt has ended. */
  readonly reached?: BegunJob
  /** The rollout was interrupted after the last of its jobs, which were put away, so none is run again (H22). */
  readonly areJobsDone: boolean
  /**
   * Existing containers of this rollout's jobs, some of which may not have been started. The rollout was interrupted,
   * and continues from them (H22).
   */
  readonly begun: readonly LiveContainer[]
  /** Existing containers of jobs of another rollout, or of an earlier attempt at this one that has ended. */
  readonly leftOver: readonly LiveContainer[]
  /** An attempt at something else has not ended. What it changed is no drift (D18). */
  readonly isHalfway?: true
  /** A mid hook of an attempt without an end has run, or runs: no old version is started again by itself (H29). */
  readonly isPastReturn?: true
  /** It was being brought to this target when the process ended, and has not passed the gate. */
  readonly isInterrupted: boolean
  /** Old instances of the application's other services, if all stop before any starts anew (A40). */
  readonly beside?: readonly LiveInstance[]
  /** Why the desired version must not follow the running one (A42). */
  readonly noPath?: string
}

/** A desired instance that exists. */
export type Match = { readonly wanted: WantedInstance; readonly live: LiveInstance; readonly since: Since }

/** Compares one service with what exists of it. The strategy says how the difference would be resolved. */
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
  const wantedAt = (index: number, number: number) => {
    const instance = service.instances[index]
    if (instance === undefined) throw new RangeError(`no instance ${index}`)
    return wantedInstance(environment, application, service, instance, number)
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
  const there = [...pairs.map(({ live }) => live), ...unmatched]
  const missing = open.length === 0 ? none : withFreeNumbers(open, there, wantedAt)
  const wanted = [...pairs.map(({ wanted }) => wanted), ...missing]
  const place = { site, application: application.name, service: service.name }
  const key = keyOf(place)
  const known = applied.get(key)
  const before = known?.target
  const since = sinceWhen(
    pairs.map(({ live }) => live),
    before,
  )
  const target = wantedTarget(environment, application, service)
  const matched = pairs.map(pair => ({ ...pair, since: since.get(pair.live) ?? ('unknown' as const) }))
  const jobs = wantedJobs(environment, application, service).filter(
    ({ job: { oncePerImage, container } }) =>
      !oncePerImage || !isDeployed(deployed, place, imageContent(container.image.pin)),
  )
  const attempt = attempts?.get(key)
  const { begun, leftOver } = jobContainers(containers, jobs, attempt)
  const reached = reachedOf(jobs, attempt)
  // An attempt came as far as its jobs, whether any of them ran or not.
  const hasBegun = begun.length > 0 || reached !== undefined
  const surplus = unmatched.length === 0 ? none : outOfTheWayOf(environment, wanted, unmatched)
  const alike = surplus.filter(one => wanted.some(({ fingerprint }) => fingerprint === one.fingerprint))
  const fragments = alike.filter(({ fingerprint }) =>
    before === undefined ? attempt?.target === target : countIn(before, fingerprint) === 0,
  )
  // A service of a Swarm with another number of tasks is told of it as a whole.
  const isScaled = alike.some(live => live.containers[0].runs !== undefined && !fragments.includes(live))
  const isNew =
    (!isScaled && matched.every(({ since }) => since !== 'before')) ||
    alike.length < surplus.length ||
    hasBegun
  const isInterrupted =
    wanted.length > 0 && target !== before && attempt?.target === target && attempt.phase !== 'ended'
  // If nothing of the service was to be started again once a mid hook had run, there was something.
  const isFirst =
    before === undefined &&
    attempt?.noReturn !== true &&
    (there.length === 0 || (isInterrupted && surplus.length === fragments.length))
  const release = releaseOf(target, service, application)
  const isSameRelease = attempt?.phase === 'open' && isReleaseOf(attempt.release, release)
  // Nothing else tells it of an attempt that an earlier version began.
  const werePutAway = isInterrupted && isSameRelease && attempt.isJobUnknown === true && missing.length === 0
  return {
    ...place,
    declared: { application, service: strategy === service.strategy ? service : { ...service, strategy } },
    target,
    ...release,
    matched,
    missing,
    surplus,
    ...(isFirst ? { isFirst: true } : {}),
    ...(fragments.length === 0 ? {} : { fragments }),
    ...optional('volumesBefore', known?.volumes),
    ...(before === undefined ? {} : tasksBefore(before, unmatched)),
    isRollout: wanted.length > 0 && target !== before && isNew,
    ...(attempt !== undefined && attempt.phase !== 'ended' && attempt.target !== target
      ? { isHalfway: true }
      : {}),
    ...(isPastReturn(attempt, [...begun, ...leftOver]) ? { isPastReturn: true } : {}),
    isInterrupted,
    jobs,
    ...(reached === undefined ? {} : { reached }),
    areJobsDone:
      begun.length === 0 &&
      (reached === undefined ? werePutAway : reached.isOver && reached.name === nameOfLast(jobs)),
    begun,
    leftOver,
  }
}

/** Another job than these says nothing about this rollout, and nothing is known of an attempt that has ended. */
function reachedOf(jobs: readonly WantedJob[], attempt: Attempt | undefined): BegunJob | undefined {
  const job = attempt?.phase === 'open' ? attempt.job : undefined
  return jobs.some(({ container }) => container.engineName === job?.name) ? job : undefined
}

function nameOfLast(jobs: readonly WantedJob[]): string | undefined {
  return jobs.at(-1)?.container.engineName
}

/** Returns the instances of these places, each with the lowest number that no instance like it has. */
function withFreeNumbers(
  places: readonly number[],
  there: readonly LiveInstance[],
  wantedAt: (index: number, number: number) => WantedInstance,
): readonly WantedInstance[] {
  const taken = new Set(there.map(({ number, fingerprint }) => `${number} ${fingerprint}`))
  const lowest = new Map<string, number>()
  return places.map(index => {
    const { fingerprint } = wantedAt(index, 1)
    let number = lowest.get(fingerprint) ?? 1
    while (taken.has(`${number} ${fingerprint}`)) number += 1
    lowest.set(fingerprint, number + 1)
    return wantedAt(index, number)
  })
}

/** Returns the instances that are too many, none under a name that a wanted or another one is to have. */
function outOfTheWayOf(
  environment: string,
  wanted: readonly WantedInstance[],
  unmatched: readonly LiveInstance[],
): readonly LiveInstance[] {
  const names = new Set(wanted.flatMap(({ containers }) => containers.map(({ engineName }) => engineName)))
  return unmatched.map(live => outOfTheWay(environment, live, names))
}

const none: readonly never[] = []

/** An interrupted rollout may have left it without any (H29). */
function tasksBefore(applied: string, [live]: readonly LiveInstance[]): Pick<Comparison, 'ranBefore'> {
  const count = live?.containers[0].runs === undefined ? 0 : countIn(applied, live.fingerprint)
  return count === 0 ? {} : { ranBefore: count }
}

/** Returns what a service should have, as one value. It is the same on all sites. */
function wantedTarget(environment: string, application: Application, service: Service): string {
  const known = targets(application)(service)
  const target = known.get(environment) ?? makeTarget(environment, application, service)
  known.set(environment, target)
  return target
}

/** By the name of the environment. */
const targets = onceFor((_: Application) => onceFor((_: Service) => new Map<string, string>()))

function makeTarget(environment: string, application: Application, service: Service): string {
  return targetOf(
    service.instances.flatMap(instance =>
      eachOf(alikeOf(environment, application, service, instance).fingerprint, instance),
    ),
    { routes: routingOf(service)?.mark, reached: markOfReached(service) },
  )
}

function markOfReached({ instances }: Service): string | undefined {
  const names = instances.flatMap(({ reached }) => reached ?? []).map(({ name }) => name)
  return names.length === 0 ? undefined : hashOf(names).slice(0, 8)
}

/**
 * A job continues where its rollout was interrupted. A job of an attempt that has ended says nothing about the next
 * attempt. A job of the same stage that does something else says nothing about this release.
 */
function jobContainers(
  containers: readonly LiveContainer[],
  jobs: readonly WantedJob[],
  attempt: Attempt | undefined,
): Pick<Comparison, 'begun' | 'leftOver'> {
  const there = containers.filter(container => isJob(container) && !isKeptContainer(container))
  const goesOn = attempt === undefined || attempt.phase === 'open'
  const names = new Set(goesOn ? jobs.map(({ container }) => container.engineName) : [])
  return {
    begun: there.filter(({ engineName }) => names.has(engineName)),
    leftOver: there.filter(({ engineName }) => !names.has(engineName)),
  }
}

/** Running and healthy ones come first, then by number. The first ones are kept if there are more than wanted. */
function byPreference(instances: readonly LiveInstance[]): LiveInstance[] {
  const rank = (live: LiveInstance) =>
    isRunning(live) ? (live.containers.some(({ health }) => health === 'unhealthy') ? 1 : 0) : 2
  return [...instances].sort((a, b) => rank(a) - rank(b) || a.number - b.number)
}
