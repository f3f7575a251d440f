import { isInLast, setOf } from '../../../fleet/spread/sites.ts'
import type { Stand } from '../../../fleet/spread/stand.ts'
import { optional } from '../../../object.ts'
import { isLeftOver, type Plan } from '../../../plan/change/change.ts'
import type { Held } from '../../../plan/hold/held.ts'
import type { RunFact } from '../../../state/fleet/run.ts'
import type { PassResult } from '../../site/result/pass-result.ts'
import { versionThere } from '../../status/deployment/version-there.ts'
import { isRefusal } from '../../status/status-of-refused.ts'
import { isHalfDone } from '../begun-on.ts'
import { type DeploymentTurn, hasVersion } from '../turns.ts'
import { factFound, type Judging } from './fact.ts'
import { heldIn } from './failures.ts'
import { holdMeaning } from './hold-meaning.ts'
import { isBlockedIn, isOfTurn, type ResultOn, type TurnRun, versionFor } from './of-turn.ts'

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
    const fact = factFound(turn, known, judging)
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

/**
 * Whether a site got the version of a run, or is half-way to it, and was never seen in place and healthy with it: whatever
 * keeps it from going on, nobody else follows (A32).
 */
function isUnproved(
  turn: DeploymentTurn,
  run: TurnRun,
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
