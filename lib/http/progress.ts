import type { ProgressQuery } from '../answers/request.gen.ts'
import { untilWithin } from '../reconcile/loop/pass-ends.ts'
import { resultsBySite } from '../reconcile/site/result/join-results.ts'
import type { PassResult } from '../reconcile/site/result/pass-result.ts'
import { type Ended, endOf, type Followed, joinEnds } from '../reconcile/status/followed.ts'
import type { Controlled, ControlOptions } from './controlled.ts'
import { findControlled, nameOf } from './environments.ts'

/** How long a request waits for news before it is answered without any. */
const limitMs = 500

/**
 * Returns the steps after a point and, once they have ended, the result of the passes that carried out a plan. `from`
 * and `look` are what `approve` returns. Repeated calls follow an approval to its end.
 */
export async function progress(
  { running }: ControlOptions,
  given: ProgressQuery & { readonly environment: string },
): Promise<Followed> {
  const controlled = findControlled(running, given.environment)
  const { world, loop, ends } = controlled
  const look = Number(given.look)
  const after = Number(given.after)
  const from = Number(given.from)
  const { plan = '' } = given
  const plans = new Map(
    world.journal.sitePlans(nameOf(controlled), plan).map(({ site, planId }) => [site, planId]),
  )
  // Who follows a plan that nobody approved follows all sites.
  const sites = plans.size === 0 ? undefined : [...plans.keys()]
  const followed = () => sites ?? [...loop.sites().keys()]
  const isOver = () =>
    loop.isSettled(look, sites) && !followed().some(site => ends.goesOn(site, from, plans.get(site) ?? ''))
  const hasEnded = await untilWithin(ends, isOver, limitMs)
  const ended = hasEnded ? carriedOut(controlled, from, plans) : undefined
  const steps = world.journal.stepsAfter(nameOf(controlled), after)
  // The result comes only after all steps of the pass.
  if (ended === undefined || steps.events.length > 0) return steps
  return { ...steps, ended }
}

/**
 * Returns how it ended on the sites of these plans together, or on all: on each the pass that carried out the plan, if
 * there was one after `from` ended passes, and otherwise the last one. Sites that are not reached had no part in the plan,
 * and do not get what it brings (A34).
 */
function carriedOut({ loop, ends }: Controlled, from: number, plans: ReadonlyMap<string, string>): Ended {
  const { last } = loop.state()
  if (last === undefined) return { outcome: 'failed', sync: 'Unknown', errors: [], waiting: 0 }
  const isFollowed = ({ site, unreachable }: PassResult) =>
    site === undefined || plans.size === 0 || plans.has(site) || unreachable !== undefined
  return joinEnds(
    resultsBySite(last)
      .filter(isFollowed)
      .map(part => ends.worked(part.site, from, plans.get(part.site ?? '') ?? '') ?? endOf(part)),
  )
}
