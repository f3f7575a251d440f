import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import { optional } from '../../../object.ts'
import type { RunFact } from '../../../state/fleet/run.ts'
import { withoutSite } from '../../../text/sites/without-site.ts'
import type { Break } from '../../site/result/breaks.ts'
import { type ApplicationStatus, isAsWanted } from '../../status/application/application-status.ts'
import { versionThere } from '../../status/deployment/version-there.ts'
import type { KnownTurns } from '../memory/known-turns.ts'
import type { DeploymentTurn } from '../turns.ts'
import { contentHash } from './contents.ts'
import { breakIn, failureIn, hinderedBy, hindranceIn } from './failures.ts'
import { isBlockedIn, isOfTurn, type ResultOn, type TurnRun, versionFor } from './of-turn.ts'

/** What findings are judged by, besides what a pass found. */
export type Judging = {
  readonly hasReached: KnownTurns['hasReached']
  /** What was begun of an application on the site and has not ended. */
  readonly unended: (application: string) => readonly RecordedAttempt[]
  /** How long what hinders a version may last before it has failed on the site. */
  readonly deadlineMs: number
  readonly nowMs: number
}

/**
 * Returns what a pass over a site says about the run of a deployment; undefined: nothing that is not known. The first of
 * these counts: the version fails, it stopped, it is there and healthy, something hinders it. Pure.
 */
export function factFound(turn: DeploymentTurn, result: ResultOn, judging: Judging): RunFact | undefined {
  const { run } = turn
  if (run === undefined || !isOfTurn(turn, run, result)) return undefined
  const fact = firstFact(sightOf(turn, run, result, judging))
  if (fact?.kind !== 'failed') return fact
  // A commit that changes what failed is a correction (A33).
  const wanted = result.desired?.applications.find(({ name }) => name === turn.deployment.application)
  return { ...fact, ...optional('content', wanted && contentHash(wanted)) }
}

/** What a pass saw of the application of a run on its site. */
type Sight = {
  readonly result: ResultOn
  readonly judging: Judging
  readonly run: TurnRun
  readonly application: string
  readonly site: string
  /** The version that the run brings there. */
  readonly version: string
  /** Whether that is one of the site's own (A72). */
  readonly isOwn: boolean
  /** Undefined: it was not seen. */
  readonly own: ApplicationStatus | undefined
  /** Whether the version was in place there before. */
  readonly hasReached: boolean
  /** What is wrong with the version although it was in place; undefined: nothing. */
  readonly how: Break | undefined
  /** When what runs there ended by itself last, as far as is known. */
  readonly endedMs: number | undefined
}

function sightOf(turn: DeploymentTurn, run: TurnRun, result: ResultOn, judging: Judging): Sight {
  const { application } = turn.deployment
  const { site } = result
  const own = result.status.find(one => one.application === application)
  const hasReached = judging.hasReached(application, site)
  return {
    ...{ result, judging, run, application, site, own, hasReached },
    version: versionFor(turn, run, site),
    isOwn: turn.apart?.has(site) === true,
    how: run.stand.open.has(site) && hasReached ? breakIn(result, application, own) : undefined,
    endedMs: run.stand.ended.get(site),
  }
}

function firstFact(seen: Sight): RunFact | undefined {
  const failure = failureSeen(seen)
  if (failure !== undefined) return isJudged(seen) ? failure : undefined
  return stopSeen(seen) ?? (isThere(seen) ? arrivalSeen(seen) : hindranceSeen(seen))
}

/** How long what ended may look as if it ended again while the engine starts it. */
const sameEndMs = 10_000

function failureSeen(seen: Sight): RunFact | undefined {
  const { result, judging, run, application, site, version, own, how, endedMs } = seen
  const { open, recheck, resumedMs = 0 } = run.stand
  if (!open.has(site)) return undefined
  const { nowMs: atMs } = judging
  const isOfBefore = recheck.has(site) && atMs - (endedMs ?? 0) < sameEndMs
  const isFailing = how === 'failing' || (how === 'ended' && endedMs !== undefined && !isOfBefore)
  const failure = failureIn(result, application, own, {
    version,
    sinceMs: Math.max(passed(run.of.atMs, atMs), passed(resumedMs, atMs)),
    how: isFailing ? how : undefined,
    isRechecked: recheck.get(site) === 'failure',
  })
  return failure && { kind: 'failed', atMs, site, ...failure, reason: withoutSite(failure.reason, site) }
}

/** What was stopped before, and still is, is no news, unless it ended by itself meanwhile. */
function stopSeen(seen: Sight): RunFact | undefined {
  const { judging, run, site, how, endedMs } = seen
  const isEnd = how === 'ended' && endedMs === undefined
  const isNews = isEnd || !run.stand.recheck.has(site)
  if (how === undefined || !isNews || !isJudged(seen)) return undefined
  return { kind: 'stopped', atMs: judging.nowMs, site, ...(isEnd ? { isEnd } : {}) }
}

/** Whether the version is in place and healthy. What was just changed is judged by the pass that looks at it. */
function isThere({ result, judging, application, own, version }: Sight): boolean {
  if (own === undefined || result.results.some(({ change }) => change.application === application))
    return false
  const isKnownAsItIs = isBlockedIn(result, application) && judging.unended(application).length === 0
  return isKnownAsItIs ? isHealthyWith(own, version) : isInPlace(own, version)
}

function isInPlace(own: ApplicationStatus, wantedNow: string): boolean {
  const { health, version, wantedVersion, running, wanted } = own
  const isComplete = isAsWanted(own) && health === 'Healthy' && running === wanted
  return isComplete && version === wantedNow && wantedVersion === undefined
}

/**
 * Whether a site has a version, and is healthy with it, although nobody can tell what else is wanted there, because a file
 * of its own is wrong: what it has, it proves (A32, D15).
 */
function isHealthyWith(own: ApplicationStatus, wantedNow: string): boolean {
  return own.health === 'Healthy' && versionThere(own) === wantedNow
}

/** That it came is news once; then, that it was started anew while it proved itself, or is another one than before. */
function arrivalSeen(seen: Sight): RunFact | undefined {
  const { result, judging, run, application, site, isOwn, hasReached, endedMs } = seen
  const { reached, recheck, proving, brokenMs, own } = run.stand
  const { nowMs: atMs } = judging
  const provedSinceMs = proving.get(site)?.sinceMs ?? Number.POSITIVE_INFINITY
  const isRestarted = (result.runningSinceMs?.get(application) ?? 0) > provedSinceMs
  const isNowOther = reached.has(site) && own.has(site) !== isOwn
  const isNews = !hasReached || recheck.has(site) || isRestarted || isNowOther
  // A look that is older than what was noted since does not know of that.
  const isOld = (result.seenMs ?? atMs) < passed(brokenMs.get(site) ?? 0, atMs)
  if (!isNews || isOld) return undefined
  const found = { kind: 'reached', atMs, site, ...(isOwn ? { isOwn } : {}) } as const
  if (recheck.get(site) === 'stop') return { ...found, isRestarted: true }
  if (!isRestarted) return found
  const isRevived = result.revived?.has(application) === true
  const reason = `${application} ends again and again, and the engine starts it anew`
  if (isRevived && endedMs !== undefined) return { kind: 'failed', atMs, site, reason }
  return { ...found, isRestarted, ...(isRevived ? { isEnd: true } : {}) }
}

function hindranceSeen(seen: Sight): RunFact | undefined {
  const { result, judging, run, application, site, hasReached } = seen
  const { open, recheck, hindered } = run.stand
  const isOnItsWay = open.has(site) && (!hasReached || recheck.has(site))
  const now = isOnItsWay ? hindranceIn(result, application) : undefined
  // A look in the middle of a pass does not know what failed in it.
  const isUnknown = now === undefined && result.saysNothingOf !== undefined
  if (isUnknown || !isJudged(seen)) return undefined
  const { nowMs: atMs, deadlineMs } = judging
  return hinderedBy(now, site, hindered.get(site), { atMs, deadlineMs })
}

/** Whether a failure says something about a run: not once it ended with one, or has proved its version everywhere. */
function isJudged({ run: { stand }, judging: { nowMs } }: Sight): boolean {
  const { wait } = stand
  if (wait.for === 'done') return wait.untilMs !== undefined && nowMs < wait.untilMs
  return wait.for !== 'correction'
}

/** Returns a time; 0 if it is in the future: it is of before the clock was set back. */
function passed(ms: number, nowMs: number): number {
  return ms <= nowMs ? ms : 0
}
