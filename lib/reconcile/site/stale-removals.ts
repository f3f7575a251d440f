import type { Plan } from '../../plan/change/change.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { lapseWhere } from './lapse-where.ts'
import type { SiteWorld } from './site.ts'

/**
 * Lets what was approved to be removed from a site lapse where it is wanted again: whoever approved it meant what nobody
 * wanted then, and the next removal is another one (D3). What the plan still removes stays approved.
 */
export function lapseStaleRemovals(
  { world: { journal, nowMs }, engine: { site } }: SiteWorld,
  { environment, applications }: Pick<DesiredState, 'environment' | 'applications'>,
  { changes }: Pick<Plan, 'changes'>,
): void {
  const inForce = journal.approvals(environment, site, nowMs())
  lapseWhere(journal, { environment, site }, inForce, ({ application, service, action }) => {
    if (action !== 'remove') return false
    const isOwn = (one: { readonly application: string; readonly service: string }) =>
      one.application === application && one.service === service
    const isRemoved = changes.some(change => change.action === 'remove' && isOwn(change))
    const wanted = applications.find(({ name }) => name === application)
    return !isRemoved && wanted?.services.some(({ name }) => name === service) === true
  })
}
