import type { Change } from '../../../plan/change/change.ts'
import { planId } from '../../../plan/id.ts'
import type { Decision } from './compare-and-plan.ts'

/**
 * Returns what may be done beside a pass that changes some applications of the site: what was removed or stopped of all
 * others comes back as it was (G17). Whatever is new waits until that pass has ended.
 * @param isBusy whether an application is being changed
 */
export async function repairsBeside(
  first: Decision,
  isBusy: (application: string) => boolean,
): Promise<Decision> {
  const isOther = ({ application }: Change) => !isBusy(application)
  const decision = await first.keeping(first.plan.changes.filter(isOther))
  const { plan } = decision
  const changes = plan.changes.filter(
    change => isOther(change) && change.cause === 'drifted' && change.held === undefined,
  )
  const id = planId({ environment: plan.environment, changes })
  return { ...decision, plan: { ...plan, id, changes, blocked: [], warnings: [] }, stuck: [] }
}
