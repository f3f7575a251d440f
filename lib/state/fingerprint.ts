import type { Instance } from './application.ts'
import { hashOf } from './canonical.ts'
import type { Container, Mount, Pin } from './container.ts'

/** The scheme's version stands in front, so that a later scheme need not recreate the world. */
const scheme = 'v1'

export type Owner = { readonly environment: string; readonly application: string; readonly service: string }

/**
 * Identity of everything we set on an instance, its images' digests included. Versions and commits are no part
 * of it (G3, D6). Instances with one fingerprint are interchangeable.
 */
export function fingerprintOf(owner: Owner, instance: Instance): string {
  const { environment, application, service } = owner
  const { sandbox, sharesProcesses, init, containers, network, aliases, attachments } = instance
  const identity = {
    environment,
    application,
    service,
    network: network.name,
    aliases,
    attachments: attachments?.map(({ name }) => name),
    sandbox: sandbox && containerIdentity(sandbox),
    sharesProcesses,
    init: init?.map(containerIdentity),
    containers: containers.map(containerIdentity),
  }
  return `${scheme}:${hashOf(identity)}`
}

/** The first eight hex digits: what a container's name carries. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(fingerprint.indexOf(':') + 1).slice(0, 8)
}

/** The digest that a container's label carries; empty when the image has none. */
export function digestOf(pin: Pin): string {
  return pin.state === 'pinned' ? pin.digest : ''
}

/** Everything that is set on a container, as a value to hash: its image by content, however that was found out. */
export function containerIdentity(container: Container): object {
  const { image, mounts, ...rest } = container
  return {
    ...rest,
    ...(mounts === undefined ? {} : { mounts: mounts.map(setOnEngine) }),
    image: { reference: image.reference, content: contentOf(image.pin) },
  }
}

/** Whether a volume is exclusive, and what the operator allows, is nothing that is set on an instance. */
function setOnEngine(mount: Mount): object {
  if (mount.kind === 'host') {
    const { within: _, ...rest } = mount
    return rest
  }
  if (mount.kind !== 'volume') return mount
  const { exclusive: _, ...rest } = mount
  return rest
}

/** What the image is, by its digest or, where no registry has it, by its id on the engine; empty while nobody knows. */
export function contentOf(pin: Pin): string {
  switch (pin.state) {
    case 'pinned':
      return pin.digest
    case 'unverified':
      return pin.imageId
    case 'unknown':
      return ''
  }
}
