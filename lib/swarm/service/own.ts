import { isNameOnSwarm } from '../../state/application/swarm/swarm-service.ts'
import { isOurs, type OwnName } from '../../state/identity.ts'
import { type LabelName, label, labelOf } from '../../state/labels.ts'
import { isJob, jobRoleIn } from '../../state/running/job-container.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import type { ServiceSpec } from '../api/service.ts'

/** What a service that Tallyman made says of itself. */
export type SaidService = Pick<LiveContainer, 'application' | 'service' | 'container' | 'fingerprint'> & {
  readonly role: 'app' | NonNullable<ReturnType<typeof jobRoleIn>>
}

/**
 * Returns what the labels of a service say that it is. Undefined if they are not such as Tallyman writes, or if it has
 * another name than what they say is called on a Swarm: somebody else made it. Pure.
 */
export function saidBy({ Name, Labels }: Pick<ServiceSpec, 'Name' | 'Labels'>): SaidService | undefined {
  const said = (name: LabelName) => labelOf(Labels, name)
  const environment = said(label.environment)
  const [application, service, container] = [
    said(label.application),
    said(label.service),
    said(label.container),
  ]
  const fingerprint = said(label.fingerprint)
  if (!environment || !application || !service || !container || !fingerprint) return undefined
  const role = jobRoleIn(said(label.role)) ?? 'app'
  const of = { environment, application, service, isJob: isJob({ role }) }
  return isNameOnSwarm(Name, of) ? { application, service, container, fingerprint, role } : undefined
}

/** Whether a service is one that Tallyman made for an environment. What is seen and what is changed are the same. */
export function isOwn(spec: Pick<ServiceSpec, 'Name' | 'Labels'>, owner: OwnName): boolean {
  return isOurs(spec.Labels, owner) && saidBy(spec) !== undefined
}
