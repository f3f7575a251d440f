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
  const { sandbox, sharesProcesses, init, containers, network, attachments } = instance
  const identity = {
    environment,
    application,
    service,
    network: network.name,
    attachments: attachments?.map(({ name }) => name),
    sandbox: sandbox && identityOf(sandbox),
    sharesProcesses,
    init: init?.map(identityOf),
    containers: containers.map(identityOf),
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

function identityOf(container: Container): object {
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

function contentOf(pin: Pin): string {
  switch (pin.state) {
    case 'pinned':
      return pin.digest
    case 'unverified':
      return pin.imageId
    case 'unknown':
      return ''
  }
}
