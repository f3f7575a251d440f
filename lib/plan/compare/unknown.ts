import type { Application, Instance, Service } from '../../state/application/application.ts'
import type { Container } from '../../state/application/container/container.ts'
import { fingerprintOf } from '../../state/application/fingerprint.ts'
import { mapMembers, membersOf } from '../../state/application/members.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import { groupInstances } from './instance/instance.ts'

/**
 * Resolves a service whose tags no registry could resolve, and which may still be exactly what runs (D5). If a running
 * container was made from the same reference, its digest replaces the unknown one. If nothing else differs, the service
 * is as wanted. Otherwise it stays `unknown`: neither equal nor changed.
 */
export function pinAsRunning(
  environment: string,
  application: Application,
  service: Service,
  live: readonly LiveContainer[],
):
  | { readonly state: 'known'; readonly service: Service }
  | { readonly state: 'unknown'; readonly reason: string } {
  if (service.instances.every(instance => membersOf(instance).every(isKnown)))
    return { state: 'known', service }
  const instances: Instance[] = []
  const owner = { environment, application: application.name, service: service.name }
  for (const instance of service.instances) {
    const unresolved = membersOf(instance).find(member => !isKnown(member))
    if (unresolved === undefined) {
      instances.push(instance)
      continue
    }
    const guess = groupInstances(live)
      .map(({ containers }) => containers.reduce(withDigestOf, instance))
      .find(candidate => live.some(({ fingerprint }) => fingerprint === fingerprintOf(owner, candidate)))
    if (guess === undefined) return { state: 'unknown', reason: reasonOf(unresolved) }
    instances.push(guess)
  }
  return { state: 'known', service: { ...service, instances } }
}

function isKnown({ image }: Container): boolean {
  return image.pin.state !== 'unknown'
}

function withDigestOf(instance: Instance, live: LiveContainer): Instance {
  return mapMembers(instance, container =>
    container.image.pin.state === 'unknown' && container.image.reference === live.image
      ? { ...container, image: { ...container.image, pin: { state: 'pinned', digest: live.digest } } }
      : container,
  )
}

function reasonOf({ image }: Container): string {
  return image.pin.state === 'unknown' ? image.pin.reason : ''
}
