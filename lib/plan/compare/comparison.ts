import { optional } from '../../object.ts'
import type { Application, Service, Strategy } from '../../state/application/application.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import { keyOf, type ServicePlace } from '../change/change.ts'
import { outOfTheWay } from '../rollout/stage/rename-steps.ts'
import type { LiveInstance, WantedInstance } from './instance/instance.ts'
import { type Pair, pairUp } from './instance/pairing.ts'
import { areJobsOver, type ProgressOfJobs, progressOfJobs } from './job/progress-of-jobs.ts'
import { isPastReturn, type Past } from './past.ts'
import { type Since, sinceWhen } from './since.ts'
import { type BothReleases, isReleaseOf, releaseOf } from './target/release.ts'
import { countIn } from './target/target.ts'
import { wantedTarget } from './target/wanted-target.ts'

/**
 * One service on one site, compared: what is wanted, what exists, and which of them match. With the jobs that a rollout
 * of it runs once, and how far they came.
 */
export type Comparison = BothReleases &
  ServicePlace &
  ProgressOfJobs & {
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
     * The rollout was interrupted after the last of its jobs, which were put away, so none is run again (H22). Which ones
     * run yet says `dueJobs` in rollout/stage/jobs.ts.
     */
    readonly areJobsDone: boolean
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
export type Match = Pair & { readonly since: Since }

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
  const { pairs, missing, unmatched } = pairUp(environment, application, service, containers)
  const there = [...pairs.map(({ live }) => live), ...unmatched]
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
  const attempt = attempts?.get(key)
  const progress = progressOfJobs(place, { environment, application, service }, containers, deployed, attempt)
  const { begun, leftOver, reached } = progress
  const surplus = unmatched.length === 0 ? none : outOfTheWayOf(environment, wanted, unmatched)
  const fingerprints = new Set(wanted.map(({ fingerprint }) => fingerprint))
  const alike = surplus.filter(({ fingerprint }) => fingerprints.has(fingerprint))
  const isFragment = ({ fingerprint }: LiveInstance) =>
    before === undefined ? attempt?.target === target : countIn(before, fingerprint) === 0
  const fragments = alike.filter(isFragment)
  // A service of a Swarm with another number of tasks is told of it as a whole.
  const isScaled = alike.some(live => live.containers[0].runs !== undefined && !isFragment(live))
  const isNew =
    (!isScaled && matched.every(({ since }) => since !== 'before')) ||
    alike.length < surplus.length ||
    // An attempt came as far as its jobs, whether any of them ran or not.
    begun.length > 0 ||
    reached !== undefined
  const isToBeApplied = wanted.length > 0 && target !== before
  const underWay = attempt?.phase === 'ended' ? undefined : attempt
  const isInterrupted = isToBeApplied && underWay?.target === target
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
    isRollout: isToBeApplied && isNew,
    ...(underWay !== undefined && underWay.target !== target ? { isHalfway: true } : {}),
    ...(isPastReturn(attempt, [...begun, ...leftOver]) ? { isPastReturn: true } : {}),
    isInterrupted,
    ...progress,
    areJobsDone: areJobsOver(progress, werePutAway),
  }
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
