import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import { optional } from '../../../object.ts'
import { splitKey } from '../../../plan/change/change.ts'
import { byText } from '../../../text/order.ts'
import { recordFindings } from '../../fleet/findings/record-findings.ts'
import type { Wanted } from '../../repository/desired.ts'
import { withOnTheirWay } from '../../status/application/on-its-way.ts'
import { keptOf, stateAfter } from '../../status/last-state.ts'
import type { PassResult } from '../result/pass-result.ts'
import type { SiteWorld } from '../site.ts'

/** What is known of a pass that changes something while a site is looked at again. */
export type BegunPass = {
  /** Its number; undefined: it is not on record. */
  readonly passId: number | undefined
  /** How the site stood when it began. */
  readonly standing: PassResult
  /** Whether it was changing an application when the site was looked at, or is about to. */
  readonly isBusy: (application: string) => boolean
}

/** How a site stands while something is being changed there. */
export type SiteStanding = {
  readonly result: PassResult
  /** Whether an application was on its way when that was seen: it is told as it was before. */
  readonly wasOnItsWay: (application: string) => boolean
}

/**
 * Records how a site stands while a pass over it goes on changing something: what waits for a person there, what is
 * wrong (G13, D4), and what that says about deployments (A32). Returns that under the number of this pass; undefined: the
 * site was not seen, so nothing is known that was not before.
 */
export function recordStanding(
  { world, engine: { site } }: SiteWorld,
  { newest }: Pick<Wanted, 'newest'>,
  result: PassResult,
  { passId, standing: begun, isBusy }: BegunPass,
): SiteStanding | undefined {
  const { journal } = world
  const { plan, desired, waiting, endedMs: seenMs } = result
  if (plan === undefined || desired === undefined || seenMs === undefined) return undefined
  const { environment } = desired
  const attempts = journal.attempts(environment, site)
  const wasOnItsWay = openBefore(attempts, seenMs)
  const saysNothingOf = (application: string) => isBusy(application) || wasOnItsWay(application)
  const before = keptOf(journal, environment, site)
  const known = before.state?.applications ?? []
  const atFirst = withOnTheirWay(known, begun.status, openBefore(attempts, begun.seenMs ?? seenMs))
  const all = result === begun ? atFirst : withOnTheirWay(atFirst, result.status, wasOnItsWay)
  const status = all.toSorted(byText(({ application }) => application))
  journal.atOnce(() => {
    const state = stateAfter(before, { ...result, status, saysNothingOf }, newest, seenMs)
    if (state !== undefined) journal.keepState(environment, site, state, seenMs)
    if (waiting.length === 0 || passId === undefined) journal.clearWaiting(environment, site)
    else journal.setWaiting({ environment, site, planId: plan.id, passId, sinceMs: seenMs })
  })
  const standing = { ...result, status, saysNothingOf, ...optional('passId', passId) }
  recordFindings(world, standing)
  const changing = status.flatMap(({ application }) => (saysNothingOf(application) ? [application] : []))
  world.memory.fleet.seen.setChanging(site, changing)
  return { result: standing, wasOnItsWay }
}

/** Returns whether something of an application had begun by then, and has not ended. */
function openBefore(
  attempts: ReadonlyMap<string, RecordedAttempt>,
  atMs: number,
): (application: string) => boolean {
  const open = new Set(
    [...attempts].flatMap(([key, { phase, begunAtMs = 0 }]) =>
      phase === 'open' && begunAtMs < atMs ? [splitKey(key).application] : [],
    ),
  )
  return application => open.has(application)
}
