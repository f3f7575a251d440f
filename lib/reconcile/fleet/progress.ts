import type { Wait } from '../../fleet/strategy/stand.ts'
import { optional } from '../../object.ts'
import type { Change, Held, Plan } from '../../plan/change/change.ts'
import type { RunFact, SiteFailed } from '../../state/fleet/run.ts'
import { withoutSite } from '../../text/without-site.ts'
import type { PassResult } from '../site/pass-result.ts'
import type { ApplicationStatus } from '../status/status.ts'
import type { FleetMemory } from './fleet-memory.ts'
import type { DeploymentTurn } from './turns.ts'

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
  /** What it says about the run; absent: nothing that is not known. */
  readonly fact?: RunFact
}

/** Whether a site did not answer, or is refused as the engine of another one; undefined: the pass does not tell. */
export function isSilentIn({ site, plan, errors }: PassResult): boolean | undefined {
  if (site === undefined) return undefined
  if (plan === undefined) return errors.some(({ code }) => code === 'same-engine') ? true : undefined
  return plan.unseen.includes(site)
}

/**
 * Returns what a pass over a site says about the deployments of its environment. It goes by what was found, and not by
 * what was done, so that a pass that nobody saw end is no loss. Pure.
 */
export function findingsOf(
  turns: readonly DeploymentTurn[],
  hasReached: FleetMemory['hasReached'],
  result: PassResult,
  nowMs: number,
): readonly Finding[] {
  const { site, plan } = result
  const isSilent = isSilentIn(result)
  if (site === undefined || isSilent === undefined) return []
  return turns.flatMap(turn => {
    const { deployment, sites, run } = turn
    if (run === undefined || !sites.has(site)) return []
    const { application } = deployment
    if (isSilent || plan === undefined) return [{ application, isReady: false }]
    const fact = factOf(turn, hasReached, { ...result, site }, nowMs)
    // What is blocked on this site alone keeps the version from no other.
    const isBlocked = plan.blocked.some(one => one.application === application)
    const isReady = !isBlocked && !heldIn(result, application).some(({ code }) => notReady.includes(code))
    return [
      {
        application,
        isReady,
        ...optional('isQuiet', quietIn(result, plan, application)),
        ...optional('fact', fact),
      },
    ]
  })
}

/** What keeps a version from a site whatever its deployment waits for. */
const apartFromStops: readonly (Held['code'] | undefined)[] = ['not-its-turn', 'window-closed']

/**
 * Whether nobody is asked about anything here, nothing else waits with the version, and no service of it was begun or has
 * to be kept as it was.
 */
function quietIn({ waiting, outcome }: PassResult, { changes }: Plan, name: string): boolean | undefined {
  const codes = changes.flatMap(({ application, held }) => (application === name ? [held?.code] : []))
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

/** Why a site cannot go on now, although nothing failed: it goes on by itself later. */
export const notReady: readonly Held['code'][] = [
  'window-closed',
  'no-upgrade-path',
  'upgrade-deleted',
  'suspended',
]

/** What keeps a version from a site until somebody does something about it. */
const failures: readonly Held['code'][] = [
  'quarantined',
  'barred',
  'not-converging',
  'name-taken',
  'port-taken',
]

function factOf(
  { run, deployment: { application }, apart }: DeploymentTurn,
  hasReached: FleetMemory['hasReached'],
  result: PassResult & { readonly site: string },
  atMs: number,
): RunFact | undefined {
  if (run === undefined) return undefined
  const { site } = result
  const { open, recheck, proving, wait } = run.stand
  const own = result.status.find(one => one.application === application)
  const failure = open.has(site)
    ? failureIn(result, application, own, {
        hasReached: hasReached(application, site),
        isRechecked: recheck.get(site) === 'failure',
      })
    : undefined
  if (failure !== undefined)
    return isJudged(wait, atMs)
      ? { kind: 'failed', atMs, site, ...failure, reason: withoutSite(failure.reason, site) }
      : undefined
  const isThere =
    own !== undefined &&
    isAsWanted(own, apart?.get(site) ?? run.of.version) &&
    !isChanging(result, application)
  const provedSinceMs = proving.get(site)?.sinceMs ?? Number.POSITIVE_INFINITY
  const isRestarted = (result.runningSinceMs?.get(application) ?? 0) > provedSinceMs
  const isAwaited = !hasReached(application, site) || recheck.has(site) || isRestarted
  if (!isThere || !isAwaited) return undefined
  return { kind: 'reached', atMs, site, ...(isRestarted ? { isRestarted } : {}) }
}

/** Whether a failure says something about a run: not once it ended with one, or has proved its version everywhere. */
function isJudged(wait: Wait, nowMs: number): boolean {
  if (wait.for === 'done') return wait.untilMs !== undefined && nowMs < wait.untilMs
  return wait.for !== 'correction'
}

function isAsWanted(
  { sync, health, version, wantedVersion, running, wanted }: ApplicationStatus,
  wantedNow: string,
): boolean {
  const isComplete = sync === 'Synced' && health === 'Healthy' && running === wanted
  return isComplete && version === wantedNow && wantedVersion === undefined
}

/** What was just done is judged by the pass that looks at it. */
function isChanging({ results }: PassResult, application: string): boolean {
  return results.some(({ change }) => change.application === application)
}

/** Why a version fails on a site, and which one does if it is one on the way to it. */
type VersionFailure = Pick<SiteFailed, 'reason' | 'step'>

/**
 * Returns how a version fails on a site; undefined if it does not. After a person's word to go on, what a pass finds to
 * repair is judged by the pass that looks at it then.
 */
function failureIn(
  result: PassResult,
  application: string,
  own: ApplicationStatus | undefined,
  { hasReached, isRechecked }: { readonly hasReached: boolean; readonly isRechecked: boolean },
): VersionFailure | undefined {
  for (const done of result.results)
    if (isOfRun(done.change, application) && 'failure' in done && done.failure.retry === 'never')
      return { reason: done.failure.message, ...optional('step', done.change.walk?.by[0]) }
  const held = heldIn(result, application).find(({ code }) => failures.includes(code))
  if (held !== undefined) return { reason: held.reason, ...optional('step', held.step) }
  if (isRechecked && isRepaired(result, application)) return undefined
  const isBroken = own?.health === 'Degraded' || own?.health === 'Missing'
  return hasReached && isBroken && !isDiverging(result, application)
    ? { reason: `${application} is ${own.health}${own.reason === '' ? '' : `: ${own.reason}`}` }
    : undefined
}

/** What was begun of an earlier version, and fails, is no failure of the version of the run. */
function isOfRun(change: Change, application: string): boolean {
  return change.application === application && change.isBegun === undefined
}

function heldIn({ plan }: PassResult, application: string): readonly Held[] {
  return (plan?.changes ?? []).flatMap(change =>
    change.application === application && change.held !== undefined ? [change.held] : [],
  )
}

function isRepaired({ plan }: PassResult, application: string): boolean {
  return (plan?.changes ?? []).some(change => change.application === application)
}

/** Whether it is about to get something else, so that it says nothing about the version that it is incomplete. */
function isDiverging({ plan }: PassResult, application: string): boolean {
  return (plan?.changes ?? []).some(
    change => change.application === application && change.cause !== 'drifted',
  )
}
