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
  if (!inForce.some(({ action }) => action === 'remove')) return
  const nameOf = (application: string, service: string) => `${application}/${service}`
  const removals = changes.filter(({ action }) => action === 'remove')
  const removed = new Set(removals.map(({ application, service }) => nameOf(application, service)))
  const wanted = new Set(
    applications.flatMap(({ name, services }) => services.map(service => nameOf(name, service.name))),
  )
  lapseWhere(journal, { environment, site }, inForce, ({ application, service, action }) => {
    const name = nameOf(application, service)
    return action === 'remove' && wanted.has(name) && !removed.has(name)
  })
}
