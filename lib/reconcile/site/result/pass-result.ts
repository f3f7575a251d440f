import type { ChangeResult } from '../../../apply/apply.ts'
import { isErrorCode } from '../../../errors/catalogue.ts'
import { Failure } from '../../../errors.ts'
import type { StandingTrouble, Trouble } from '../../../journal/services/troubles.ts'
import { onceFor } from '../../../memo/once-for.ts'
import { optional } from '../../../object.ts'
import { type Change, isPutBack, type Plan } from '../../../plan/change/change.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { Route } from '../../../state/application/ingress/route.ts'
import type { Outcome } from '../../../state/pass/outcome.ts'
import type { SyncStatus } from '../../../state/running/health.ts'
import { least } from '../../extremes.ts'
import type { Contents } from '../../fleet/findings/contents.ts'
import type { SiteTurns } from '../../fleet/turns.ts'
import type { ApplicationStatus } from '../../status/application/application-status.ts'
import { statusOfApplications } from '../../status/application/sync-and-health/status-of-applications.ts'
import { withWindowEnds } from '../../status/application/waiting/window-ends.ts'
import { withApprovals } from '../../status/application/waiting/with-approvals.ts'
import { errorsOf, failureError, failureErrors, type PassError } from '../../status/error.ts'
import type { Decision } from '../decision/compare-and-plan.ts'
import type { Verdict } from '../decision/needs-approval.ts'
import type { SeenSite } from '../observe.ts'
import { type Break, breaksOf, revivedIn } from './breaks.ts'
import { leftOversIn, withoutServices } from './left-overs.ts'
import { startsOf } from './starts.ts'
import { type NoneReached, whyUnreached } from './why-unreached.ts'

/** What one pass over a site found and did; or those over all sites of an environment, put together. */
export type PassResult = {
  /** Absent: it is of the environment as a whole. */
  readonly site?: string
  readonly passId?: number
  /** When the pass ended; absent: it is not recorded. */
  readonly endedMs?: number
  /** When the site was looked at, in ms since 1970; absent: it did not answer, or was not asked. */
  readonly seenMs?: number
  /**
   * Whether an application was being changed when the site was looked at, or was seen anew since, so that this says nothing
   * of it. Absent: it does of each.
   */
  readonly saysNothingOf?: (application: string) => boolean
  /** Whether an application was seen anew since this pass had changed it: only what failed counts of it. Absent: none was. */
  readonly wasSeenSince?: (application: string) => boolean
  readonly outcome: Outcome
  readonly sync: SyncStatus
  /** When something that is held now goes on by itself, in ms since 1970. */
  readonly untilMs?: number
  /** All errors, the most informative first. */
  readonly errors: readonly PassError[]
  /** Those of several sites that were not reached, and why, each named as the resource; absent: all were. */
  readonly unreachable?: readonly PassError[]
  /** Absent if the source or the manifest could not be read. */
  readonly plan?: Plan
  readonly desired?: DesiredState
  readonly waiting: readonly Change[]
  readonly results: readonly ChangeResult[]
  readonly status: readonly ApplicationStatus[]
  /**
   * By application that has a deployment: since when all that it consists of has run without a break, at the earliest, in ms
   * since 1970. Absent: nobody needs it, because the environment has no deployments.
   */
  readonly runningSinceMs?: ReadonlyMap<string, number>
  /** What is wrong with applications that do not run, or do badly. Absent: as above. */
  readonly breaks?: ReadonlyMap<string, Break>
  /** The applications of which the engine started something again because it had ended. Absent: as above. */
  readonly revived?: ReadonlySet<string>
  /** What failed after a release was in place, and is not answered. Absent: as above. */
  readonly troubles?: readonly StandingTrouble[]
  /** What the versions of applications with deployments consist of in the environment that it went by; absent: not known. */
  readonly contents?: Contents
  /** The results that were put together; absent: it is one pass. */
  readonly parts?: readonly PassResult[]
}

/** What a pass knows once it has a plan. */
export type Found = {
  readonly desired: DesiredState
  readonly seen: SeenSite
  /** Whether the environment has no other site. */
  readonly isOnlySite: boolean
  readonly decision: Decision
  readonly verdict: Verdict
  /**
   * What failed after a release was in place. It is reported until another release is, or until somebody answers (H30).
   */
  readonly troubles: () => readonly StandingTrouble[]
  /** The routes that the ingress of the site loaded last. */
  readonly loaded: () => readonly Route[]
  readonly contents: Contents
  /** What is written on whatever is made; absent: nothing has begun. */
  readonly record?: string
} & Pick<SiteTurns, 'ending'>

/** Returns the result of a pass that came to a plan. `trouble` concerns the pass as a whole. */
export function resultOf(
  found: Found,
  outcome: Outcome,
  results: readonly ChangeResult[],
  trouble: Failure | undefined,
): PassResult {
  const { desired, seen, isOnlySite, decision, verdict, contents, ending } = found
  const { plan, stuck } = decision
  const remaining = remainingIn(decision, results)
  const troubles = found.troubles()
  const unreached = whyUnreached(seen, results, isOnlySite)
  const judged = 'live' in seen && {
    ...seen,
    live: withoutServices(seen.live, leftOversIn(remaining, desired)),
  }
  return {
    site: seen.site,
    ...('live' in seen ? { seenMs: seen.atMs } : {}),
    outcome,
    sync: syncOf(plan, remaining, trouble),
    errors: errorsOf({
      ...{ plan, stuck, seen, results, trouble, troubles, ending },
      isUnreached: unreached !== undefined,
    }),
    ...(unreached === undefined ? {} : { unreachable: [failureError(unreached, seen.site)] }),
    plan,
    desired,
    ...optional('untilMs', least(remaining.map(({ held }) => held?.untilMs))),
    waiting: verdict.wait,
    results,
    status: statusWith(found, remaining, troubles),
    contents,
    ...(judged && desired.deployments
      ? {
          runningSinceMs: startsOf(judged, deployedIn(desired)),
          breaks: breaksOf(judged.live, desired),
          revived: revivedIn(judged.live),
          troubles,
        }
      : {}),
  }
}

const deployedIn = onceFor(
  ({ deployments = [] }: DesiredState) => new Set(deployments.map(({ application }) => application)),
)

/** Returns how the applications of a site are before anything of a plan is done. */
export function statusFound(found: Found): readonly ApplicationStatus[] {
  return statusWith(found, remainingIn(found.decision, []), found.troubles())
}

/**
 * Returns what is left of a plan. A service that is kept as it was before is not as wanted, however well it runs; nor is
 * one that is on its way.
 */
function remainingIn({ plan, stuck }: Decision, results: readonly ChangeResult[]): readonly Change[] {
  const done = new Set(
    results.flatMap(({ change, result }) => (result === 'applied' && !isPutBack(change) ? [change] : [])),
  )
  const isLeft = (change: Change) => !done.has(change) || change.walk !== undefined
  return [...plan.changes.filter(isLeft), ...stuck]
}

function statusWith(
  { desired, seen, decision, verdict, loaded }: Found,
  changes: readonly Change[],
  troubles: readonly Trouble[],
): readonly ApplicationStatus[] {
  if (!('live' in seen)) return []
  const { plan, diff, past, upgrades, closesMs } = decision
  const status = statusOfApplications({
    ...{ desired, live: seen.live, changes, troubles },
    loaded: loaded(),
    undecided: diff?.undecided ?? [],
    ...optional('applied', past?.applied),
    ...optional('queues', upgrades?.queues),
  })
  return withWindowEnds(withApprovals(status, plan, verdict), diff?.differences ?? [], closesMs)
}

/** Returns all that kept a pass from its end: the sites that were not reached, and then its errors. */
export function hindrancesIn({
  unreachable = [],
  errors,
}: Pick<PassResult, 'unreachable' | 'errors'>): readonly PassError[] {
  return [...unreachable, ...errors]
}

/**
 * Returns the result of a pass that came to no plan. Input with several problems gives several errors, each with its
 * place.
 */
export function planlessResult(failure: Failure, outcome: Outcome): PassResult {
  return { outcome, sync: 'Unknown', errors: failureErrors(failure), waiting: [], results: [], status: [] }
}

/** Returns the result of a look that found none of several sites, which is a state of each of them (A34). */
export function noneReachedResult(failure: NoneReached): PassResult {
  const unreachable = [...failure.sites].map(([site, why]) => failureError(why, site))
  return { ...planlessResult(failure, 'unreachable'), errors: [], unreachable }
}

/** Returns why sites were not reached, by their names. */
export function unreachedOf({ unreachable = [] }: PassResult): ReadonlyMap<string, Failure> {
  return new Map(
    unreachable.flatMap(({ resource, code, message, hint }) =>
      resource === undefined || !isErrorCode(code) ? [] : [[resource, new Failure(code, message, { hint })]],
    ),
  )
}

/** What the plan could not judge makes sync unknown. Whoever else writes there changes nothing about what was seen. */
function syncOf(
  { blocked, unseen }: Plan,
  remaining: readonly Change[],
  trouble: Failure | undefined,
): SyncStatus {
  if (remaining.length > 0) return 'OutOfSync'
  const isUnjudged = trouble !== undefined && trouble.code !== 'another-writer'
  return blocked.length + unseen.length > 0 || isUnjudged ? 'Unknown' : 'Synced'
}
