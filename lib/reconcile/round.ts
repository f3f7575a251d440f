import { Failure, toFailure } from '../errors.ts'
import { advanceAll } from './fleet/advance-all.ts'
import { desiredState, type Wanted } from './repository/desired.ts'
import { recordRead, recordUnread } from './repository/record-unread.ts'
import { joinResults, resultsBySite } from './site/join-results.ts'
import { pass } from './site/pass.ts'
import type { PassRequest, RoundRequest } from './site/pass-request.ts'
import { type PassResult, planlessResult } from './site/pass-result.ts'
import { type SiteWorld, sitesOf } from './site/site.ts'
import { meetEngines } from './site/twin.ts'
import { failureError } from './status/error.ts'
import type { World } from './world.ts'

/**
 * Looks at the repository once, and makes one pass over each site, all side by side: what the commands `plan` and
 * `apply` do. Never rejects: errors are in the result.
 */
export async function round(world: World, request: RoundRequest, signal: AbortSignal): Promise<PassResult> {
  const startedMs = world.steadyMs()
  try {
    const wanted = await desiredState(world, request.freshness, signal)
    if (request.until === 'apply') recordRead(world, wanted.desired.environment)
    await meetEngines(world, signal)
    advanceAll(world, wanted.desired, request.until === 'apply' ? 'step' : 'look')
    return await overSites(sitesOf(world), wanted, request, signal)
  } catch (error) {
    return recordUnread(world, request, unreadResult(toFailure(error), signal), startedMs)
  }
}

/** Returns the result of a look that could not read what is wanted. */
export function unreadResult(failure: Failure, signal: AbortSignal): PassResult {
  return planlessResult(failure, signal.aborted ? 'interrupted' : 'failed')
}

/** If only one plan may be applied, all sites are planned before the first of them is touched (D4). */
async function overSites(
  sites: readonly SiteWorld[],
  wanted: Wanted,
  request: PassRequest,
  signal: AbortSignal,
): Promise<PassResult> {
  const over = async (requestOf: (site: string) => PassRequest) =>
    joinResults(await Promise.all(sites.map(site => pass(site, wanted, requestOf(site.engine.site), signal))))
  const { onlyPlan } = request
  if (onlyPlan === undefined || sites.length === 1) return over(() => request)
  const planned = await over(() => ({
    trigger: request.trigger,
    until: 'plan',
    retry: request.retry === true,
  }))
  if (planned.plan?.id !== onlyPlan) {
    const changed = new Failure(
      'plan-changed',
      `the plan is ${planned.plan?.id ?? 'unknown'} now, not ${onlyPlan}`,
    )
    return { ...planned, outcome: 'superseded', errors: [...planned.errors, failureError(changed)] }
  }
  const ids = new Map(resultsBySite(planned).map(({ site = '', plan }) => [site, plan?.id ?? '']))
  return over(site => ({ ...request, onlyPlan: ids.get(site) ?? '' }))
}
