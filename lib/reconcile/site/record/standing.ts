import { optional } from '../../../object.ts'
import { byText } from '../../../text/order.ts'
import type { Wanted } from '../../repository/desired.ts'
import { keptOf, stateAfter } from '../../status/last-state.ts'
import type { PassResult } from '../result/pass-result.ts'
import type { SiteWorld } from '../site.ts'

/**
 * Records how a site stands while a pass over it goes on changing something: what waits for a person there, and what is
 * wrong (G13, D4). Returns that under the number of this pass; undefined: the site was not seen, so nothing is known that
 * was not before.
 * @param isBusy whether an application is on its way: how it was before stays known
 */
export function recordStanding(
  { world: { journal }, engine: { site } }: SiteWorld,
  { newest }: Pick<Wanted, 'newest'>,
  result: PassResult,
  passId: number | undefined,
  isBusy: (application: string) => boolean,
): PassResult | undefined {
  const { plan, desired, waiting, endedMs: seenMs } = result
  if (plan === undefined || desired === undefined || seenMs === undefined) return undefined
  const { environment } = desired
  const before = keptOf(journal, environment, site)
  const known = before.state?.applications.filter(({ application }) => isBusy(application)) ?? []
  const others = result.status.filter(({ application }) => !isBusy(application))
  const status = [...known, ...others].sort(byText(({ application }) => application))
  journal.atOnce(() => {
    const state = stateAfter(before, { ...result, status }, newest, seenMs)
    if (state !== undefined) journal.keepState(environment, site, state, seenMs)
    if (waiting.length === 0 || passId === undefined) journal.clearWaiting(environment, site)
    else journal.wait({ environment, site, planId: plan.id, passId, sinceMs: seenMs })
  })
  return { ...result, status, ...optional('passId', passId) }
}
