import type { ApprovedItem } from '../../../journal/decisions/approved-targets.ts'
import { splitKey } from '../../../plan/change/change.ts'
import { groupInstances } from '../../../plan/compare/instance/instance.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { approvedHere } from '../approved-here.ts'
import type { SeenSite } from '../observe.ts'
import type { PassRequest } from '../pass-request.ts'
import type { SiteWorld } from '../site.ts'
import type { Decision } from './compare-and-plan.ts'
import { itemsOf, judge, type Verdict } from './needs-approval.ts'

/** Judges a plan for a site by what is on record there, and by what the operator configured. */
export function judgeOn(
  site: SiteWorld,
  { answer, until, isForNext }: PassRequest,
  desired: DesiredState,
  { plan, past, putAside }: Decision,
  seen: SeenSite,
): Verdict {
  if (plan.changes.length === 0) return nothingDue
  const given = itemsOf(plan.changes).map(item => ({ ...item, planId: plan.id }))
  const { journal, config } = site.world
  const { environment, revision, skipConfirmation } = desired
  const approved = putAside === 'written-by-others' ? [] : approvedHere(site, desired)
  return judge(plan, {
    skipConfirmation,
    prune: config.prune,
    drift: config.drift,
    approved: answer === undefined ? approved : [...approved, ...given],
    begun: begunItems(past?.attempts ?? new Map()),
    // `plan` shows a declined plan again.
    discarded:
      (until === 'apply' || isForNext === true) && journal.isDiscarded(environment, plan.id, revision.commit),
    running: 'live' in seen ? groupInstances(seen.live.containers).length : 0,
  })
}

function begunItems(attempts: NonNullable<Decision['past']>['attempts']): readonly ApprovedItem[] {
  return [...attempts].flatMap(([key, { phase, release }]) => {
    const { application, service } = splitKey(key)
    return phase === 'open' ? [{ resource: `${application}/${service}`, action: 'replace', release }] : []
  })
}

const nothingDue: Verdict = { go: [], wait: [], declined: [], skipped: [], behind: new Map() }
