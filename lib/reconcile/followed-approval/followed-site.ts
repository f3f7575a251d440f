import type { ApprovedService } from '../../journal/decisions/said-of-plans.ts'
import { optional } from '../../object.ts'
import { keyOf, type ServicePlace, splitKey } from '../../plan/change/change.ts'
import { ingressName } from '../../state/application/ingress/route.ts'
import type { DoneChange } from '../loop/pass-ends.ts'
import type { SiteLoopState } from '../loop/site/site-loop-state.ts'
import { outcomeOfCounts } from '../site/result/outcome.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import { isTrouble } from '../status/error.ts'
import { closedIn, type Ended } from './followed.ts'

/** What somebody approved on a site, and what is known of that by now. */
export type FollowedSite = {
  readonly approved: readonly ApprovedService[]
  /** What came of it, and of all else on the site that ended since the approval. */
  readonly done: readonly DoneChange[]
  readonly state: SiteLoopState
  /** Whether the loop of the site has dealt with the look at the repository that follows the approval. */
  readonly isSettled: boolean
  /** That look. */
  readonly look: number
  /** Whether a service was ever brought to something by itself, and not only because of others. */
  readonly isOwnService: (place: ServicePlace) => boolean
}

/** How far what was approved on a site is. */
export type HowFar = 'goes-on' | 'ended' | 'ended-beside-others'

/** Returns how far what was approved is. Others that are still being changed are not waited for (G13). Pure. */
export function howFar(followed: FollowedSite): HowFar {
  const { state, isSettled, look } = followed
  const left = leftOf(followed)
  const { running, last, judged = 0 } = state
  const { changes = [], coming = [] } = running ?? {}
  const isNext = left.some(one => changes.includes(keyOf(one)) || coming.includes(keyOf(one)))
  // A pass that gave way to another one says nothing of what comes.
  const isComing = left.length > 0 && last?.outcome === 'superseded'
  const isOfRunning = ownDone(followed).some(({ atMs }) => running !== undefined && atMs >= running.sinceMs)
  if (isSettled && !isNext && !isComing && !isOfRunning) return 'ended'
  const areOthers = !isNext && changes.length > 0 && changes.every(key => isOther(followed, splitKey(key)))
  const isKnown = left.length === 0 || (judged >= look && !left.some(one => isOnItsWay(followed, one)))
  return areOthers && isKnown ? 'ended-beside-others' : 'goes-on'
}

/** Whether a service has nothing to do with what was approved: it neither is part of that, nor comes with it. Pure. */
export function isOther({ approved, isOwnService }: FollowedSite, place: ServicePlace): boolean {
  const { application } = place
  const isApproved = approved.some(one => one.application === application)
  return !isApproved && application !== ingressName && isOwnService(place)
}

/**
 * Returns how what was approved ended. `whole`: the end of the pass that carried it out, if it has ended. That is the
 * answer if nothing else was carried out in it, and nothing of what was approved in another one. Pure.
 */
export function endOfApproved(followed: FollowedSite, last: PassResult, whole: Ended | undefined): Ended {
  const own = ownDone(followed)
  const since = followed.done.filter(({ passId }) => passId === whole?.passId)
  const isAlone =
    own.every(({ passId }) => passId === whole?.passId) && !since.some(one => isOther(followed, one))
  if (whole !== undefined && (isAlone || whole.unreachable !== undefined)) return whole
  const left = new Set(leftOf(followed).map(keyOf))
  const isLeft = (place: ServicePlace) => left.has(keyOf(place))
  const held = (last.plan?.changes ?? []).filter(change => change.held !== undefined && isLeft(change))
  const names = new Set([...left].map(key => splitKey(key).application))
  const blocked = (last.plan?.blocked ?? []).filter(({ application }) => names.has(application))
  const count = (...results: readonly DoneChange['result'][]) =>
    own.filter(({ result }) => results.includes(result)).length
  const isSkipped = own.some(({ result }) => result === 'skipped')
  const isAbout = (resource = '') => isSkipped || left.has(resource) || names.has(resource)
  return {
    ...optional('passId', own.at(-1)?.passId ?? whole?.passId ?? last.passId),
    outcome: outcomeOfCounts({
      applied: count('applied'),
      rolledBack: count('rolled-back'),
      // What it came after was not applied.
      failed: count('failed', 'skipped'),
      blocked: blocked.length,
      stuck: held.filter(one => one.held !== undefined && isTrouble(one.held)).length,
      waiting: last.waiting.filter(isLeft).length,
      declined: last.outcome === 'declined' ? left.size : 0,
      isUnreached: false,
    }),
    sync: whole?.sync ?? 'OutOfSync',
    errors: [...own.flatMap(({ errors }) => errors), ...last.errors.filter(one => isAbout(one.resource))],
    waiting: last.waiting.length,
    ...closedIn(held),
  }
}

/** Returns what came last of each service that was approved. */
function ownDone(followed: FollowedSite): readonly DoneChange[] {
  const own = followed.done.filter(one => !isOther(followed, one))
  return [...new Map(own.map(one => [keyOf(one), one])).values()]
}

/** Returns what was approved and has not ended. After a failure, nothing more comes of its application. */
function leftOf({ approved, done }: FollowedSite): readonly ApprovedService[] {
  const isOf = (ended: DoneChange, one: ApprovedService) =>
    ended.application === one.application &&
    ended.service === one.service &&
    ended.release === one.release &&
    ended.isRemoved === one.isRemoved
  // What failed of another release says nothing of this one.
  const failed = new Set(
    done.flatMap(ended =>
      ended.result !== 'applied' && approved.some(one => isOf(ended, one)) ? [ended.application] : [],
    ),
  )
  const isDone = (one: ApprovedService) => failed.has(one.application) || done.some(ended => isOf(ended, one))
  return approved.filter(one => !isDone(one))
}

/** Whether a version on the way to it was installed, so that it comes next (X18). */
function isOnItsWay({ done }: FollowedSite, one: ApprovedService): boolean {
  return done.some(ended => keyOf(ended) === keyOf(one) && ended.result === 'applied')
}
