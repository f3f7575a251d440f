import type { Origin } from '../../config/find-file.ts'
import type { Journal } from '../../journal/journal.ts'
import type { OpenAttempt } from '../../journal/services/attempts.ts'
import { optional } from '../../object.ts'
import { keyOf } from '../../plan/change/change.ts'
import type { Revision } from '../../state/repository/revision.ts'
import { isoText, optionalTime } from '../../text/time.ts'
import { betweenParts } from '../concurrency/in-pieces.ts'
import type { Pacing } from '../concurrency/pacing.ts'
import { wasReady } from '../fleet/findings/last-ready.ts'
import type { ConnectedSite } from '../fleet/sites/known-sites.ts'
import type { DeploymentTurn } from '../fleet/turns.ts'
import type { LoopState } from '../loop/loop-state.ts'
import type { NewerCommit } from '../loop/under-way.ts'
import type { ApplicationStatus } from './application/application-status.ts'
import { withBegunUnseen } from './application/begun-unseen.ts'
import { withFailedHere } from './application/failed-here.ts'
import { withApplied, withFound } from './application/found-by-pass.ts'
import type { ApplicationGoingBack } from './application/going-back.ts'
import { withUnderWay } from './application/under-way.ts'
import { asTheyWait } from './application/waiting/turn-now.ts'
import { withAnswers } from './application/waiting/with-approvals.ts'
import { appliedNow } from './applied-now.ts'
import type { DeploymentStatus } from './deployment/deployment-status.ts'
import { withJoined } from './deployment/joined-sites.ts'
import { withLeaving } from './deployment/meant-otherwise.ts'
import { allDeployments } from './deployment/observed-deployments.ts'
import type { RunSource } from './deployment/run-now.ts'
import type { PassError } from './error.ts'
import { heard, passEnds } from './heard.ts'
import { type KnownTogether, type LastState, type UnreachableSite, unreachedIn } from './last-state.ts'
import { type PlanStanding, planStanding } from './plan/plan-standing.ts'

/** One environment as `status` shows it. Times are in ISO 8601. */
export type EnvironmentStatus = PlanStanding & {
  readonly environment: string
  /** The directory in the repository, if it is known. */
  readonly directory?: string
  /** Where the daemon's configuration comes from; absent without a daemon. */
  readonly configuration?: Origin
  /** Whether a daemon reports this now. Otherwise it comes from the journal. */
  readonly daemon: boolean
  readonly running?: {
    readonly since: string
    readonly changes: readonly string[]
    /** The commit that these bring. */
    readonly revision?: Revision
    /** Another commit that is wanted by now, and why it waits; absent: there is none. */
    readonly newer?: NewerCommit
    readonly step?: string
    /** Why that step still waits, or what else it noted. */
    readonly note?: string
  }
  readonly sync: string
  readonly outcome?: string
  /** The commit that was compared with what runs. */
  readonly revision?: Revision
  /** The newest commit, if it could not be used; `errors` say why. */
  readonly unread?: string
  readonly passId?: number
  readonly lookedAt?: string
  /** When the applications were seen like this, if that is not now. */
  readonly seenAt?: string
  readonly next?: string
  readonly suspensions: readonly {
    readonly application?: string
    readonly reason: string
    readonly who: string
    readonly since: string
    readonly until?: string
  }[]
  /** The applications that somebody holds at a version; absent: there are none. */
  readonly held?: readonly HeldStatus[]
  readonly errors: readonly PassError[]
  /** Those of several sites that are not reached, and when they are tried next; absent: all are. */
  readonly unreachable?: readonly (UnreachableSite & { readonly next?: string })[]
  /** The sites whose Swarm was made anew, and on which nothing was applied since then; absent: there are none. */
  readonly swarmsMadeAnew?: readonly { readonly site: string; readonly since: string }[]
  readonly applications: readonly ApplicationStatus[]
  /** Absent: the environment has none. */
  readonly deployments?: readonly DeploymentStatus[]
}

/** An application that somebody holds at a version (A12). */
export type HeldStatus = {
  readonly application: string
  readonly version: string
  readonly commit: string
  readonly reason: string
  readonly who: string
  readonly since: string
}

/** What is known of an environment. Without a state, it was never read. */
export type StatusSource = KnownTogether & {
  readonly environment: string
  readonly journal: Journal
  readonly nowMs: number
  /** The loop of the daemon; absent without one. */
  readonly loop?: LoopState
  readonly configuration?: Origin
  /** Whether a site could go on with an application now; absent: as it was when the site was last seen. */
  readonly isReady?: (application: string, site: string) => boolean
  /** The sites of the environment as they are configured now; absent: that is not known. */
  readonly sites?: readonly ConnectedSite[]
  /** The sites to which another process writes; absent: that is not known. */
  readonly theirs?: ReadonlySet<string>
  /** What happened in a run, at times that count; absent: only what is on record of it is known. */
  readonly facts?: RunSource['facts']
  /** What the deployments mean for the sites, as this process sees it; absent: that is not known. */
  readonly turns?: readonly DeploymentTurn[]
}

/**
 * Returns the status of one environment from its last known state, the journal and the loop.
 * @param goOn waited for between two deployments, and between the parts of a status of very many applications, so that
 * who asks for many sites keeps nothing waiting
 */
export async function environmentStatus(
  source: StatusSource,
  goOn: Pacing['goOn'],
): Promise<EnvironmentStatus> {
  const { environment, journal, state, seenMs, nowMs, loop } = source
  const [newest] = journal.log({ environment, limit: 1 })
  const lookedMs = loop === undefined ? newest?.lastSeenAtMs : loop.lastEndedMs
  const passId = loop === undefined ? newest?.passId : loop.last?.passId
  const isReady = source.isReady ?? wasReady(state)
  const runs = {
    ...{ environment, journal, isReady, nowMs },
    ...optional('sites', source.sites),
    ...optional('facts', source.facts),
  }
  const begun = journal.openAttempts(environment)
  const unreached = unreachedIn(state)
  const isSeen = (site: string) => !unreached.has(site) && journal.lastSeenMs(environment, site) !== undefined
  const rows = withUnderWay(
    withBegunUnseen(
      withJoined(runs, asTheyWait(runs, answered(source, begun, lookedMs)), isSeen),
      begun,
      new Set(source.sites?.map(({ name }) => name)),
      site => unreached.has(site),
    ),
    begun,
    loop?.running?.tasks,
    site => journal.lastSeenMs(environment, site),
    waysBack(source),
  )
  const applications = withApplied(rows, appliedNow(environment, journal, loop?.running, begun))
  const seen = {
    ...{ ...runs, applications, unreached, errors: state?.errors ?? [], parts: source.parts },
    ...optional('theirs', source.theirs),
    ...optional('turns', source.turns),
  }
  await betweenParts(applications, goOn)
  const deployments = await allDeployments(seen, goOn)
  await betweenParts(applications, goOn)
  const over = deployments.filter(one => one.state === 'aborted').map(({ application }) => application)
  const standing = planStanding(source, over, lookedMs)
  return {
    environment,
    ...optional('directory', journal.environments().find(one => one.environment === environment)?.directory),
    ...optional('configuration', source.configuration),
    daemon: loop !== undefined,
    ...optional('running', runningOf(loop)),
    sync: syncNow(state, applications),
    ...optional('outcome', outcomeNow(state, standing)),
    ...optional('revision', state?.revision),
    ...optional('unread', state?.unread),
    ...optional('passId', passId),
    ...optionalTime('lookedAt', lookedMs),
    ...optionalTime('seenAt', loop !== undefined && state?.isSeen === true ? undefined : seenMs || undefined),
    ...optionalTime('next', loop?.nextMs),
    ...standing,
    suspensions: journal
      .suspensions(environment, nowMs)
      .map(({ application, reason, who, atMs, untilMs }) => ({
        ...optional('application', application),
        reason,
        who,
        since: isoText(atMs),
        ...optionalTime('until', untilMs),
      })),
    ...heldIn(journal, environment),
    errors: heard(state?.errors ?? [], { environment, journal, endedMs: passEnds(loop, lookedMs) }),
    ...optional('unreachable', unreachableOf(source)),
    ...optional('swarmsMadeAnew', swarmsMadeAnew(source)),
    applications: withLeaving(runs, withFailedHere(applications, deployments)),
    ...optional('deployments', deployments.length === 0 ? undefined : deployments),
  }
}

/** While something is being changed, it is not known yet how the pass ends, but what waits is. */
function outcomeNow(state: LastState | undefined, { declined }: PlanStanding): string | undefined {
  if (state?.outcome === 'planned') return undefined
  return declined !== undefined && state?.outcome === 'needs-confirmation' ? 'declined' : state?.outcome
}

/** What has begun since the last pass may have made something differ that was as wanted then. */
function syncNow(state: LastState | undefined, applications: readonly ApplicationStatus[]): string {
  const differs = applications.some(({ sync }) => sync === 'OutOfSync')
  return state?.sync === 'Synced' && differs ? 'OutOfSync' : (state?.sync ?? 'Unknown')
}

/** Returns what was seen of applications, and what was said of the plans that they wait for. */
function answered(
  source: StatusSource,
  begun: readonly OpenAttempt[],
  lookedMs: number | undefined,
): readonly ApplicationStatus[] {
  const { environment, journal, state, loop } = source
  const found = loop?.running?.found?.flatMap(told => told()) ?? []
  const applications = withFound(state?.applications ?? [], found, begun)
  if (!applications.some(({ approval }) => approval !== undefined)) return applications
  const { waiting } = planStanding(source, [], lookedMs)
  const approve = loop === undefined ? undefined : waiting?.plan
  return withAnswers(applications, { environment, journal, commit: state?.revision?.commit, approve })
}

function heldIn(journal: Journal, environment: string): Pick<EnvironmentStatus, 'held'> {
  const held = journal
    .heldVersions(environment)
    .map(({ application, version, commit, reason, who, atMs }) => ({
      ...{ application, version, commit, reason, who },
      since: isoText(atMs),
    }))
  return held.length === 0 ? {} : { held }
}

function swarmsMadeAnew({ environment, journal }: StatusSource): EnvironmentStatus['swarmsMadeAnew'] {
  const all = journal
    .swarmsAnew(environment)
    .flatMap(({ site, anewAtMs }) => (anewAtMs === undefined ? [] : [{ site, since: isoText(anewAtMs) }]))
  return all.length === 0 ? undefined : all
}

function unreachableOf({ state, nowMs, loop }: StatusSource): EnvironmentStatus['unreachable'] {
  const tries = new Map(loop?.tries.map(({ site, nextMs }) => [site, nextMs]))
  return state?.unreachable?.map(one => {
    const nextMs = tries.get(one.site)
    // While it is being tried, the time of that is over.
    return {
      ...one,
      ...optionalTime('next', nextMs === undefined || nextMs <= nowMs ? undefined : nextMs),
    }
  })
}

/** What goes back has what was applied last for its goal. */
function waysBack({ environment, journal, loop }: StatusSource): readonly ApplicationGoingBack[] {
  const back = loop?.running?.back ?? []
  if (back.length === 0) return []
  const applied = journal.applied(environment)
  return back.map(place => ({ ...place, ...optional('to', applied.get(keyOf(place))?.version) }))
}

function runningOf(loop: LoopState | undefined): EnvironmentStatus['running'] {
  if (loop?.running === undefined) return undefined
  const { sinceMs, open: _, tasks: __, back: ___, found: ____, ...running } = loop.running
  return { since: isoText(sinceMs), ...running }
}
