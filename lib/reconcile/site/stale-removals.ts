import type { Plan } from '../../plan/change/change.ts'
import type { DesiredState } from '../../state/application/desired.ts'
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
  for (const { resource, action, release } of journal.approvals(environment, site, nowMs())) {
    if (action !== 'remove') continue
    const [application = '', service = ''] = resource.split('/')
    const isOwn = (one: { readonly application: string; readonly service: string }) =>
      one.application === application && one.service === service
    const isRemoved = changes.some(change => change.action === 'remove' && isOwn(change))
    const wanted = applications.find(({ name }) => name === application)
    if (!isRemoved && wanted?.services.some(({ name }) => name === service))
      journal.useApproval(environment, { site, application, service, action, release })
  }
}
