import type { ProgressQuery } from '../answers/request.gen.ts'
import type { Journal } from '../journal/journal.ts'
import { onceFor } from '../memo/once-for.ts'
import { keyOf } from '../plan/change/change.ts'
import { type Ended, endOf, type Followed, joinEnds } from '../reconcile/followed-approval/followed.ts'
import {
  endOfApproved,
  type FollowedSite,
  howFar,
  isOther,
} from '../reconcile/followed-approval/followed-site.ts'
import { type Follower, untilWithin } from '../reconcile/loop/pass-ends.ts'
import { resultsBySite } from '../reconcile/site/result/join-results.ts'
import type { PassResult } from '../reconcile/site/result/pass-result.ts'
import type { Controlled, ControlOptions } from './controlled.ts'
import { findControlled, nameOfControlled } from './environments.ts'

/** How long a request waits for news before it is answered without any. */
const limitMs = 500

/**
 * Returns the steps after a point of what was approved by a plan, and of what comes with that, and its result once all of
 * it has ended. Other changes that its passes make are neither shown nor waited for. `from` and `look` are what `approve`
 * returns. Repeated calls follow an approval to its end.
 */
export async function progress(
  { running }: ControlOptions,
  given: ProgressQuery & { readonly environment: string },
): Promise<Followed> {
  const controlled = findControlled(running, given.environment)
  const { world, ends } = controlled
  const { follow, hasEnded: isSo } = followingOf(controlled, given)
  const hasEnded = await untilWithin(ends, isSo, limitMs)
  const now = follow()
  const ended = hasEnded ? carriedOut(controlled, now) : undefined
  const steps = world.journal.stepsAfter(nameOfControlled(controlled), Number(given.after))
  const events = steps.events.filter(event => !now.isOther(event))
  // The result comes only after all steps of the pass.
  if (ended === undefined || steps.events.length > 0) return { ...steps, events }
  return { ...steps, ended }
}

/** How far a plan is that somebody follows. Who follows a plan that nobody approved follows all sites. */
type FollowedPlan = {
  /** Whether a site has a part in it. */
  readonly has: (site: string) => boolean
  /** Whether what was approved on a site has ended. */
  readonly hasEndedOn: (site: string) => boolean
  /** Whether a step has nothing to do with what was approved. */
  readonly isOther: (event: Followed['events'][number]) => boolean
  /** Returns how it ended on a site, of which this is known last. */
  readonly endOn: (site: string, last: PassResult) => Ended
}

/**
 * Returns what returns how far it is now, each time that it is called, and whether all of it has ended. A site on which it
 * has is not asked about that again.
 */
function followingOf(
  controlled: Controlled,
  given: Pick<ProgressQuery, 'plan' | 'from' | 'look'>,
): { readonly follow: () => FollowedPlan; readonly hasEnded: () => boolean } {
  const { world, loop, ends } = controlled
  const [environment, from, look] = [nameOfControlled(controlled), Number(given.from), Number(given.look)]
  const { plan = '' } = given
  const { journal } = world
  const { plans, approved } = approvedFor(journal)(ends.follower({ environment, plan, from, look }))
  const planOn = (site: string) => plans.get(site) ?? ''
  const named = plans.size === 0 ? undefined : [...plans.keys()]
  const isSettledOn = (site: string) =>
    loop.isSettled(look, named && [site]) && !ends.goesOn(site, from, planOn(site))
  const follow = (): FollowedPlan => {
    const attempts = remembering((site: string) => journal.attempts(environment, site))
    const followedOn = remembering((site: string): FollowedSite | undefined => {
      const state = loop.site(site)
      const own = approved.get(site) ?? []
      const [first] = own
      if (state === undefined || first === undefined) return undefined
      return {
        ...{ approved: own, state, look },
        done: ends.doneOn(site).filter(({ atMs }) => atMs >= first.atMs),
        isSettled: isSettledOn(site),
        isOwnService: place => attempts(site).has(keyOf(place)),
      }
    })
    const hasEndedOn = (site: string) => {
      const followed = followedOn(site)
      return followed === undefined ? isSettledOn(site) : howFar(followed) !== 'goes-on'
    }
    return {
      has: site => named === undefined || plans.has(site),
      hasEndedOn,
      isOther(event) {
        const followed = followedOn(event.site)
        return followed !== undefined && isOther(followed, event)
      },
      endOn(site, last) {
        const followed = followedOn(site)
        const work = ends.worked(site, from, planOn(site))
        if (followed === undefined) return work ?? endOf(last)
        if (howFar(followed) === 'ended-beside-others') return endOfApproved(followed, last, undefined)
        // While a pass changes something, what is known last is no end of it.
        const isEnd = last.outcome !== 'superseded' && !followed.state.running?.changes.length
        return endOfApproved(followed, last, work ?? (isEnd ? endOf(last) : undefined))
      },
    }
  }
  const left = [...(named ?? loop.sites().keys())]
  const hasEnded = () => {
    const { hasEndedOn } = follow()
    const hasEndedHere = (site: string | undefined) => site !== undefined && hasEndedOn(site)
    while (hasEndedHere(left.at(-1))) left.pop()
    return left.length === 0
  }
  return { follow, hasEnded }
}

/** Reads what a person approved, once for all questions of who follows it. */
const approvedFor = onceFor((journal: Journal) =>
  onceFor(({ environment, plan }: Follower) => ({
    plans: new Map(journal.sitePlans(environment, plan).map(({ site, planId }) => [site, planId])),
    approved: journal.approvedBy(environment, plan),
  })),
)

/** Returns the same function, which is asked once for each name. */
function remembering<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, { readonly found: T }>()
  return name => {
    const one = known.get(name) ?? { found: find(name) }
    known.set(name, one)
    return one.found
  }
}

/**
 * Returns how it ended on the sites of these plans together, or on all: on each the pass that carried out the plan, if
 * there was one after `from` ended passes, and otherwise the last one. Sites that are not reached had no part in the plan,
 * and do not get what it brings (A34).
 */
function carriedOut({ loop }: Controlled, followed: FollowedPlan): Ended {
  const { last } = loop.state()
  if (last === undefined) return { outcome: 'failed', sync: 'Unknown', errors: [], waiting: 0 }
  const isFollowed = ({ site, unreachable }: PassResult) =>
    site === undefined || followed.has(site) || unreachable !== undefined
  return joinEnds(
    resultsBySite(last)
      .filter(isFollowed)
      .map(part => (part.site === undefined ? endOf(part) : followed.endOn(part.site, part))),
  )
}
