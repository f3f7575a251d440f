import { Failure, toFailure } from '../../errors.ts'
import { optional } from '../../object.ts'
import { type DesiredState, variantFor } from '../../state/application/desired.ts'
import { recordBreaks } from '../fleet/findings/record-findings.ts'
import { isSameTurn, type SiteTurns } from '../fleet/turns.ts'
import type { Wanted } from '../repository/desired.ts'
import { failureError } from '../status/error.ts'
import { isRefusal, statusOfRefused } from '../status/status-of-refused.ts'
import { carryOut } from './apply/carry-out.ts'
import { noteDeploys } from './apply/deploys.ts'
import { renewLoginsOn } from './apply/renew-logins.ts'
import { type DecideOptions, type Decision, decide } from './decision/compare-and-plan.ts'
import { judgeOn } from './decision/judge-on.ts'
import { stillDeclined } from './decision/needs-approval.ts'
import { repairsBeside } from './decision/repairs-beside.ts'
import { lookNow } from './early-look.ts'
import { type HeldBackBy, heldBackNow } from './held-back-now.ts'
import { keepKind, recordKind } from './identity/kept-kind.ts'
import { heedLater } from './identity/later-journal.ts'
import { whyPutAside } from './identity/put-aside.ts'
import { loseEngine, meetEngine, takeEngine } from './identity/twin.ts'
import type { SeenSite } from './observe.ts'
import type { PassRequest } from './pass-request.ts'
import { openRecorder, type PassRecorder } from './record/record.ts'
import { otherPlan } from './result/other-plan.ts'
import { outcomeOf, standingOutcome } from './result/outcome.ts'
import { type Found, type PassResult, planlessResult, resultOf, statusFound } from './result/pass-result.ts'
import { whyUnreached } from './result/why-unreached.ts'
import type { SiteWorld } from './site.ts'
import { lapseStaleRemovals } from './stale-removals.ts'
import { isDeletedNow } from './upgrade/deleted-now.ts'
import { type WantedHere, wantedOn } from './wanted-on.ts'
import { withAlterations } from './with-alterations.ts'
import { claimForPass, noteWhose } from './writer/claim-for-pass.ts'
import { secureClaim } from './writer/hold-claim.ts'

/**
 * Makes one pass over a site, from what is wanted to the containers, in a straight line. `plan`, `apply` and the daemon
 * run it and stop at different points. Whoever asks for it waits for its turn to begin. Never rejects: errors are in the
 * result.
 */
export async function pass(
  site: SiteWorld,
  offered: Wanted,
  request: PassRequest,
  signal: AbortSignal,
): Promise<PassResult> {
  const here = { ...offered, desired: variantFor(offered.desired, site.engine.site) }
  using taken = new DisposableStack()
  let record = openRecorder(site, here, request)
  let { desired } = here
  try {
    // What is wanted, whose turn it is and what people said belong together, and may be newer as soon as anything is waited
    // for.
    const turns = site.world.memory.fleet.turns.onSite(site.engine.site)
    const said = heldBackNow(site.world, offered.desired.environment)
    const wanted = await wantedOn(site, offered, turns)
    desired = wanted.desired
    record = openRecorder(site, wanted, request)
    const looked = await lookAt(site, wanted, request, record, taken, signal)
    request.onLooked?.()
    if ('ended' in looked) return looked.ended
    const lack = await lackOfClaim(site, request, looked.found)
    if (lack !== undefined) return record.end(resultOf(looked.found, ...lack))
    const found = begin(site, request, looked.found, record, { turns, said })
    if (found === undefined) return record.end(resultOf(looked.found, 'superseded', [], wanted.stale))
    let standing: PassResult | undefined
    request.onApply?.(found.verdict.go, {
      passId: record.passId(),
      standing: () => (standing ??= standingOf(found, wanted.stale)),
    })
    const { beside } = request
    // Once it is repaired, a look finds it running again.
    if (beside !== undefined && found.verdict.go.length > 0)
      recordBreaks(site.world, standingOf(found, wanted.stale), beside.isBusy)
    const { results, lost } = await carryOut(site, request, found, record, signal)
    if (lost === undefined && request.beside === undefined) await renewLoginsOn(site, found, signal)
    const { plan, stuck } = found.decision
    const isUnreached = whyUnreached(found.seen, results, found.isOnlySite) !== undefined
    const outcome = outcomeOf({
      blocked: plan.blocked.length + (isUnreached ? 0 : plan.unseen.length),
      isUnreached,
      held: [...plan.changes, ...stuck].filter(({ held }) => held !== undefined),
      waiting: found.verdict.wait,
      declined: found.verdict.declined,
      results,
      isUnreadable: wanted.unreadable === true,
      superseded: isSuperseded(signal),
    })
    const result = resultOf(found, outcome, results, lost ?? wanted.stale)
    const wasSeenSince = request.seenSince?.()
    return record.end(wasSeenSince === undefined ? result : onlyOfChanged(result, wasSeenSince))
  } catch (error) {
    if (request.until === 'apply' && !site.world.memory.whose.of(site.engine.site)) noteWhose(site, 'none')
    return endFailed(site, record, desired, toFailure(error), signal)
  }
}

/**
 * Returns how a pass ends that is not to change anything, because this process is not the writer, or cannot become that
 * (D17). Nothing has begun then, so that no version fails by it.
 */
async function lackOfClaim(
  site: SiteWorld,
  { onlyAsks }: PassRequest,
  { desired, verdict: { go } }: Found,
): Promise<[outcome: 'interrupted' | 'failed', results: readonly [], why: Failure] | undefined> {
  if (go.length === 0 || onlyAsks) return undefined
  const failure = await secureClaim(site, desired.environment)
  if (failure === undefined) return undefined
  return [failure.code === 'another-writer' ? 'interrupted' : 'failed', [], failure]
}

/** What a pass goes by that may change while it looks. */
type GoneBy = { readonly turns: SiteTurns; readonly said: HeldBackBy }

/**
 * Judges once more, and records what begins. Both are one transaction: whoever takes a word back in another process, or
 * suspends, deletes or holds something, is heard until then, and is told afterwards that it has begun. If the beginning
 * cannot be recorded, nothing begins. Undefined: what was decided does not count any more, and the next pass decides anew.
 */
function begin(
  site: SiteWorld,
  request: PassRequest,
  found: Found,
  record: PassRecorder,
  before: GoneBy,
): Found | undefined {
  if (found.verdict.go.length === 0) return found
  return site.world.journal.atOnce(() => {
    if (isOvertaken(site, before, found) || isDeletedNow(site, found)) return undefined
    if (request.onlyAsks) return { ...found, verdict: { ...found.verdict, go: [] } }
    site.memory.surroundings.forget()
    const again = judgeOn(site, request, found.desired, found.decision, found.seen)
    const verdict = stillDeclined(again, found.verdict.declined)
    return { ...found, verdict, record: record.begun(verdict.go) }
  })
}

/**
 * Compares a site with what is wanted, and judges what may be done. `ended`: nothing is to be carried out. `taken`
 * keeps the engine for this site until the pass has ended.
 */
async function lookAt(
  site: SiteWorld,
  wanted: WantedHere,
  request: PassRequest,
  record: PassRecorder,
  taken: DisposableStack,
  signal: AbortSignal,
): Promise<{ readonly found: Found } | { readonly ended: PassResult }> {
  const { desired, stale, contents, ending } = wanted
  const { journal } = site.world
  const { claimed: before, beside } = request
  keepKind(site, desired.environment)
  const silence = before?.state === 'silent' ? before.failure : await meetEngine(site, signal)
  taken.use(takeEngine(site, desired, request.until === 'apply' && beside === undefined))
  const claimed =
    request.until === 'apply'
      ? (before ?? (await claimForPass(site, desired, request, silence, signal)))
      : undefined
  const mine = claimed?.state === 'ours' || (claimed?.state === 'silent' && request.isObserver !== true)
  if (mine) {
    record.begin()
    recordKind(site, desired.environment)
  }
  const isWhole = mine && beside === undefined
  if (mine && request.retry) journal.forgetTroubles(desired.environment, undefined, site.engine.site)
  const unseen = silence ?? (claimed?.state === 'silent' ? claimed.failure : undefined)
  const looked: SeenSite =
    unseen === undefined
      ? await lookNow(site, request.early?.(), desired, signal)
      : { site: site.engine.site, failure: unseen }
  if ('live' in looked) request.onSeen?.()
  if (isWhole && 'live' in looked) heedLater(site, desired.environment, looked.live)
  const seen = withAlterations(site, desired.environment, looked, mine)
  if ('failure' in seen) loseEngine(site)
  await site.world.pacing.goOn()
  // What was not seen because the pass was broken off says nothing of what is there, nor of what waits for a person.
  if ('failure' in seen) signal.throwIfAborted()
  noteDeploys(site, seen)
  const judged = (decision: Decision) => judgeOn(site, request, desired, decision, seen)
  const putAside = 'live' in seen ? await whyPutAside(site, desired, seen.live, mine, signal) : undefined
  const isOurs = claimed?.state === 'ours'
  const options = { ...optionsOf(request, wanted), isOurs, ...optional('putAside', putAside) }
  const first = await decide(site, desired, seen, options, signal)
  const { wait, declined } = judged(first)
  // What a person declined does not come, and nor does what waits: both leave what had begun before as it is (D4, D18).
  const notNow = [...wait, ...declined]
  const isKept = request.keepsWaiting && mine && notNow.length > 0
  const whole = isKept ? await first.keeping(notNow) : first
  const decision = beside === undefined ? whole : await repairsBeside(first, beside.isBusy)
  const isOther = isOtherPlan(request, decision)
  const recorded = () => {
    record.learn(decision)
    record.plan(decision.plan)
    if (isWhole && 'live' in seen) lapseStaleRemovals(site, decision.desired, decision.plan)
    const verdict = stillDeclined(judged(decision), declined)
    if (mine && !isOther) record.approvals(decision.plan, verdict, request)
    return verdict
  }
  const verdict = mine ? record.atOnce(recorded) : recorded()
  const troubles = () => journal.troubles(desired.environment, site.engine.site)
  const loaded = () => journal.routes(desired.environment, site.engine.site)
  const isOnlySite = site.world.engines.length === 1
  const found: Found = { desired, seen, isOnlySite, decision, verdict, troubles, loaded, contents, ending }
  if ('live' in seen) beside?.onFound(statusFound({ ...found, decision: whole, verdict: judged(whole) }))
  request.onJudged?.(decision.plan, verdict)
  if (request.until === 'plan') {
    return { ended: request.isForNext ? standingOf(found, stale) : resultOf(found, 'planned', [], stale) }
  }
  if (claimed !== undefined && claimed.state !== 'ours' && !mine)
    return { ended: resultOf(found, 'planned', [], claimed.failure) }
  const changed = () => otherPlan(decision.plan.id, request.onlyPlan)
  if (isOther) return { ended: record.end(resultOf(found, 'superseded', [], changed())) }
  return { found }
}

/**
 * Whether the deployments mean something else for this site by now: the version that is about to begin may have failed
 * elsewhere, or a newer one is wanted. Or somebody suspended what is about to begin, or holds it at a version (G14, A12).
 * Then nothing begins, and the next pass goes by what is so then (A33).
 */
function isOvertaken(
  { world, engine }: SiteWorld,
  { turns, said }: GoneBy,
  { desired, verdict }: Found,
): boolean {
  if (!isSameTurn(turns, world.memory.fleet.turns.onSite(engine.site))) return true
  const now = heldBackNow(world, desired.environment)
  return verdict.go.some(({ application }) => said(application) !== now(application))
}

/** Returns how a site stands of which nothing is done now, as it was when it was asked. */
function standingOf(found: Found, trouble: Failure | undefined): PassResult {
  const { seenMs, ...result } = resultOf(found, standingOutcome(found.verdict), [], trouble)
  return seenMs === undefined ? result : { ...result, seenMs, endedMs: seenMs }
}

/** Returns a result that says nothing of applications of which nothing was changed. */
function onlyOfChanged(
  result: PassResult,
  wasSeenSince: NonNullable<PassResult['wasSeenSince']>,
): PassResult {
  const changed = new Set(result.results.map(({ change }) => change.application))
  return { ...result, saysNothingOf: application => !changed.has(application), wasSeenSince }
}

/** If the journal cannot be written, that failure is part of the result. */
function endFailed(
  site: SiteWorld,
  record: PassRecorder,
  desired: DesiredState,
  failure: Failure,
  signal: AbortSignal,
): PassResult {
  const outcome = isSuperseded(signal) ? 'superseded' : signal.aborted ? 'interrupted' : 'failed'
  const { site: name } = site.engine
  const status = isRefusal(failure.code) ? statusOfRefused(name, desired, failure) : []
  const result = { ...planlessResult(failure, outcome), site: name, desired, status }
  try {
    return record.end(result)
  } catch (error) {
    return { ...result, errors: [...result.errors, failureError(toFailure(error))] }
  }
}

function optionsOf(
  { retry = false, backingOff }: PassRequest,
  { unreadable, stale, turns, sameVersion, exchange, wantedOn }: WantedHere,
): Omit<DecideOptions, 'isOurs'> {
  return {
    retry,
    turns,
    sameVersion,
    ...{ exchange, wantedOn },
    ...(backingOff === undefined ? {} : { backingOff }),
    ...(unreadable && stale !== undefined
      ? { onlyRepairs: { code: stale.code, reason: 'the newest commit cannot be read', isUnread: true } }
      : {}),
  }
}

function isOtherPlan({ onlyPlan }: PassRequest, { plan }: Decision): boolean {
  return onlyPlan !== undefined && onlyPlan !== plan.id
}

function isSuperseded({ reason }: AbortSignal): boolean {
  return reason instanceof Failure && reason.code === 'superseded'
}
