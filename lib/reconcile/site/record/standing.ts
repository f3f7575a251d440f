import { optional } from '../../../object.ts'
import { splitKey } from '../../../plan/change/change.ts'
import { byText } from '../../../text/order.ts'
import type { Wanted } from '../../repository/desired.ts'
import { keptOf, stateAfter } from '../../status/last-state.ts'
import type { PassResult } from '../result/pass-result.ts'
import type { SiteWorld } from '../site.ts'

/** How a site stands while something is being changed there. */
export type SiteStanding = {
  readonly result: PassResult
  /** Whether an application was on its way when that was seen: it is told as it was before. */
  readonly wasOnItsWay: (application: string) => boolean
}

/**
 * Records how a site stands while a pass over it goes on changing something: what waits for a person there, and what is
 * wrong (G13, D4). Returns that under the number of this pass; undefined: the site was not seen, so nothing is known that
 * was not before.
 */
export function recordStanding(
  { world: { journal }, engine: { site } }: SiteWorld,
  { newest }: Pick<Wanted, 'newest'>,
  result: PassResult,
  passId: number | undefined,
): SiteStanding | undefined {
  const { plan, desired, waiting, endedMs: seenMs } = result
  if (plan === undefined || desired === undefined || seenMs === undefined) return undefined
  const { environment } = desired
  const open = new Set(
    [...journal.attempts(environment, site)].flatMap(([key, { phase, begunAtMs = 0 }]) =>
      phase === 'open' && begunAtMs < seenMs ? [splitKey(key).application] : [],
    ),
  )
  const wasOnItsWay = (application: string) => open.has(application)
  const before = keptOf(journal, environment, site)
  const known = before.state?.applications.filter(({ application }) => wasOnItsWay(application)) ?? []
  const others = result.status.filter(({ application }) => !wasOnItsWay(application))
  const status = [...known, ...others].sort(byText(({ application }) => application))
  journal.atOnce(() => {
    const state = stateAfter(before, { ...result, status }, newest, seenMs)
    if (state !== undefined) journal.keepState(environment, site, state, seenMs)
    if (waiting.length === 0 || passId === undefined) journal.clearWaiting(environment, site)
    else journal.wait({ environment, site, planId: plan.id, passId, sinceMs: seenMs })
  })
  return { result: { ...result, status, ...optional('passId', passId) }, wasOnItsWay }
}
