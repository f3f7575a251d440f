import { isInLast, setOf } from '../../../fleet/spread/sites.ts'
import type { Stand, Wait } from '../../../fleet/spread/stand.ts'
import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import { optional } from '../../../object.ts'
import { isLeftOver, type Plan } from '../../../plan/change/change.ts'
import type { Held } from '../../../plan/hold/held.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import type { RunFact } from '../../../state/fleet/run.ts'
import { withoutSite } from '../../../text/sites/without-site.ts'
import type { PassResult } from '../../site/result/pass-result.ts'
import { type ApplicationStatus, isAsWanted } from '../../status/application/application-status.ts'
import { versionThere } from '../../status/deployment/version-there.ts'
import { isRefusal } from '../../status/status-of-refused.ts'
import { isHalfDone } from '../begun-on.ts'
import type { KnownTurns } from '../memory/known-turns.ts'
import { type DeploymentTurn, hasVersion } from '../turns.ts'
import { contentHash } from './contents.ts'
import { breakIn, failureIn, heldIn, hinderedBy, hindranceIn } from './failures.ts'
import { holdMeaning } from './hold-meaning.ts'

/** What a pass over a site says about a deployment. */
export type Finding = {
  readonly application: string
  /** Whether the site could go on now: it answered, and no window or missing path keeps it from it. */
  readonly isReady: boolean
  /**
   * Whether the version only waits for its turn, and nothing else here depends on why it does. Absent: the pass does not
   * tell, because the deployment was stopped.
   */
  readonly isQuiet?: boolean
  /** Whether a change that brings no new version waits here, because the deployment is paused. */
  readonly isHeldBack?: boolean
  /** The pass found how what the run brings does here. Absent: it says nothing of that. */
  readonly isLook?: true
  /** What it says about the run; absent: nothing that is not known. */
  readonly fact?: RunFact
}

/** Whether a site did not answer, or is not looked after; undefined: the pass does not tell. */
export function isSilentIn({ site, plan, errors }: PassResult): boolean | undefined {
  if (site === undefined) return undefined
  if (plan === undefined) return errors.some(({ code }) => isRefusal(code)) ? true : undefined
  return plan.unseen.includes(site)
}

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
 * Returns what a pass over a site says about the deployments of its environment. It goes by what was found, and not by
 * what was done, so that a pass that nobody saw end is no loss. Pure.
 */
export function findingsOf(
  turns: readonly DeploymentTurn[],
  result: PassResult,
  judging: Judging,
): readonly Finding[] {
  const { site, plan } = result
  const isSilent = isSilentIn(result)
  if (site === undefined || isSilent === undefined) return []
  return turns.flatMap((turn): readonly Finding[] => {
    const { deployment, sites, run } = turn
    if (run === undefined || !sites.has(site)) return []
    const { application } = deployment
    if (result.saysNothingOf?.(application)) return []
    if (isSilent || plan === undefined) {
      // What hindered the version may be over once the site answers again, and has all its time anew then.
      const isHindered = run.stand.hindered.has(site)
      const fact = isHindered ? ({ kind: 'hindered', atMs: judging.nowMs, site } as const) : undefined
      return [{ application, isReady: false, ...optional('fact', fact) }]
    }
    const newest = result.wasSeenSince?.(application) ? onlyFailures(result) : result
    const known = { ...sinceWord(newest, run.stand.resumedMs, judging.nowMs), site }
    const fact = factOf(turn, known, judging)
    // What is blocked on this site alone keeps the version from no other, unless it runs there and has not proved itself.
    const isBlocked = isBlockedIn(result, application)
    const isHeldUp = heldIn(result, application).some(({ held }) => holdMeaning(held) === 'not-ready')
    const isSeen = known.status.some(one => one.application === application)
    const isLook = isSeen && isOfTurn(turn, run, known)
    return [
      {
        application,
        isReady: (!isBlocked && !isHeldUp) || isUnproved(turn, run, { ...result, site }, judging),
        ...optional('isQuiet', quietIn(result, plan, application)),
        ...(isHeldBack(run.stand, site, plan, application) ? { isHeldBack: true } : {}),
        ...(isLook ? { isLook } : {}),
        ...optional('fact', fact),
      },
    ]
  })
}

type Run = NonNullable<DeploymentTurn['run']>

/**
 * Whether a site got the version of a run, or is half-way to it, and was never seen in place and healthy with it: whatever
 * keeps it from going on, nobody else follows (A32).
 */
function isUnproved(
  turn: DeploymentTurn,
  run: Run,
  { site, status }: ResultOn,
  { unended }: Judging,
): boolean {
  const { reached, had, batches, begun: begunBefore, wait } = run.stand
  const isEnd = wait.for === 'correction' || wait.for === 'nothing'
  const isDrawn = begunBefore.has(site) || isInLast(batches, site)
  if (isEnd || !isDrawn || reached.has(site) || had.has(site)) return false
  const { application } = turn.deployment
  const version = versionFor(turn, run, site)
  const begun = unended(application)
  const drawnMs = batches.findLast(({ sites }) => setOf(sites).has(site))?.atMs
  if (isHalfDone(begun, version, drawnMs)) return true
  const own = status.find(one => one.application === application)
  if (own === undefined || versionThere(own) !== version) return false
  return own.health !== 'Healthy' || begun.length > 0
}

/** What a pass found on a site. */
type ResultOn = PassResult & { readonly site: string }

/** Returns the version that a run brings to a site, which may have one of its own (A72). */
function versionFor({ apart }: DeploymentTurn, { of }: Run, site: string): string {
  return apart?.get(site) ?? of.version
}

/**
 * Returns what of a result was found since a person last said that a run goes on: what failed before that was what the word
 * was about (A33). A pass may have looked hours before it ends.
 */
function sinceWord(result: PassResult, saidMs: number | undefined, nowMs: number): PassResult {
  // A word with a time in the future was said before the clock was set back.
  if (saidMs === undefined || saidMs > nowMs) return result
  const since = result.results.filter(one => !('failure' in one) || (one.atMs ?? saidMs) >= saidMs)
  const known = { ...result, results: since }
  return (result.seenMs ?? saidMs) >= saidMs ? known : onlyFailures(known)
}

/** Returns what failed in a pass, without what it had found at its beginning. */
function onlyFailures({ plan, ...result }: PassResult): PassResult {
  return { ...result, status: [], ...optional('plan', plan && { ...plan, changes: [] }) }
}

/** What keeps a version from a site whatever its deployment waits for. */
const apartFromStops: readonly (Held['code'] | undefined)[] = ['not-its-turn', 'window-closed']

/**
 * Whether nobody is asked about anything here, nothing else waits with the version, and no service of it was begun or has
 * to be kept as it was.
 */
function quietIn({ waiting, outcome }: PassResult, { changes }: Plan, name: string): boolean | undefined {
  const own = changes.filter(change => change.application === name && !isLeftOver(change))
  const codes = own.map(({ held }) => held?.code)
  if (codes.includes('deployment-stopped')) return undefined
  const isAsked = waiting.length > 0 || outcome === 'declined'
  const hasDependents = changes.some(({ held }) => held?.code === 'dependency-held')
  return (
    !isAsked &&
    !hasDependents &&
    codes.includes('not-its-turn') &&
    codes.every(code => apartFromStops.includes(code))
  )
}

function isHeldBack(stand: Stand, site: string, { changes }: Plan, name: string): boolean {
  const isStopped = ({ application, held }: Plan['changes'][number]) =>
    application === name && held?.code === 'deployment-stopped'
  return hasVersion(stand, site) && changes.some(isStopped)
}

function factOf(turn: DeploymentTurn, result: ResultOn, judging: Judging): RunFact | undefined {
  const fact = factIn(turn, result, judging)
  if (fact?.kind !== 'failed') return fact
  const wanted = result.desired?.applications.find(({ name }) => name === turn.deployment.application)
  return { ...fact, ...optional('content', wanted && contentHash(wanted)) }
}

function factIn(
  turn: DeploymentTurn,
  result: ResultOn,
  { hasReached, unended, deadlineMs, nowMs: atMs }: Judging,
): RunFact | undefined {
  const { run, deployment, apart } = turn
  if (run === undefined || !isOfTurn(turn, run, result)) return undefined
  const { application } = deployment
  const { site } = result
  const { open, reached, own: ofOwn, recheck, ended, hindered, proving, wait } = run.stand
  const own = result.status.find(one => one.application === application)
  // A time in the future is of before the clock was set back.
  const passed = (ms: number) => (ms <= atMs ? ms : 0)
  const how = open.has(site) && hasReached(application, site) ? breakIn(result, application, own) : undefined
  const endedMs = ended.get(site)
  const isOfBefore = recheck.has(site) && atMs - (endedMs ?? 0) < sameEndMs
  const isFailing = how === 'failing' || (how === 'ended' && endedMs !== undefined && !isOfBefore)
  const failure = open.has(site)
    ? failureIn(result, application, own, {
        version: versionFor(turn, run, site),
        sinceMs: Math.max(passed(run.of.atMs), passed(run.stand.resumedMs ?? 0)),
        how: isFailing ? how : undefined,
        isRechecked: recheck.get(site) === 'failure',
      })
    : undefined
  if (failure !== undefined)
    return isJudged(wait, atMs)
      ? { kind: 'failed', atMs, site, ...failure, reason: withoutSite(failure.reason, site) }
      : undefined
  const isEnd = how === 'ended' && endedMs === undefined
  // What was stopped before, and still is, is no news, unless it ended by itself meanwhile.
  if (how !== undefined && isJudged(wait, atMs) && (isEnd || !recheck.has(site)))
    return { kind: 'stopped', atMs, site, ...(isEnd ? { isEnd } : {}) }
  const isKnownAsItIs = isBlockedIn(result, application) && unended(application).length === 0
  const isOn = isKnownAsItIs ? isHealthyWith : isInPlace
  const isThere =
    own !== undefined && isOn(own, versionFor(turn, run, site)) && !isChanging(result, application)
  const provedSinceMs = proving.get(site)?.sinceMs ?? Number.POSITIVE_INFINITY
  const isRestarted = (result.runningSinceMs?.get(application) ?? 0) > provedSinceMs
  const isOwn = apart?.has(site) === true
  const isNowOther = reached.has(site) && ofOwn.has(site) !== isOwn
  const isAwaited = !hasReached(application, site) || recheck.has(site) || isRestarted || isNowOther
  if (!isThere) {
    const isOnItsWay = open.has(site) && (!hasReached(application, site) || recheck.has(site))
    const now = isOnItsWay ? hindranceIn(result, application) : undefined
    // A look in the middle of a pass does not know what failed in it.
    if (now === undefined && result.saysNothingOf !== undefined) return undefined
    return isJudged(wait, atMs) ? hinderedBy(now, site, hindered.get(site), { atMs, deadlineMs }) : undefined
  }
  // A look that is older than what was noted since does not know of that.
  const isOld = (result.seenMs ?? atMs) < passed(run.stand.brokenMs.get(site) ?? 0)
  if (!isAwaited || isOld) return undefined
  const found = { kind: 'reached', atMs, site, ...(isOwn ? { isOwn } : {}) } as const
  if (recheck.get(site) === 'stop') return { ...found, isRestarted: true }
  if (!isRestarted) return found
  const isRevived = result.revived?.has(application) === true
  if (isRevived && endedMs !== undefined)
    return {
      kind: 'failed',
      atMs,
      site,
      reason: `${application} ends again and again, and the engine starts it anew`,
    }
  return { ...found, isRestarted, ...(isRevived ? { isEnd: true } : {}) }
}

/** How long what ended may look as if it ended again while the engine starts it. */
const sameEndMs = 10_000

/**
 * Whether a pass went by what a run brings. One that went by another version, because that of the run was wanted only
 * since, says nothing about it. Neither does one that went by another content.
 */
function isOfTurn(turn: DeploymentTurn, run: Run, { site, desired, contents }: ResultOn): boolean {
  const { application } = turn.deployment
  const wanted = desired?.applications.find(({ name }) => name === application)
  const isOther = wanted !== undefined && versionOf(wanted) !== versionFor(turn, run, site)
  return !isOther && contents?.get(application) === turn.content
}

/** Whether a failure says something about a run: not once it ended with one, or has proved its version everywhere. */
function isJudged(wait: Wait, nowMs: number): boolean {
  if (wait.for === 'done') return wait.untilMs !== undefined && nowMs < wait.untilMs
  return wait.for !== 'correction'
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

/** Whether nobody can tell what of an application is wanted on the site. */
function isBlockedIn({ plan }: PassResult, application: string): boolean {
  return plan?.blocked.some(one => one.application === application) === true
}

/** What was just done is judged by the pass that looks at it. */
function isChanging({ results }: PassResult, application: string): boolean {
  return results.some(({ change }) => change.application === application)
}
