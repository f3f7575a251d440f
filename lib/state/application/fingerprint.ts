import { hashOf } from '../canonical.ts'
import type { Instance } from './application.ts'
import type { Container, Mount, Pin } from './container/container.ts'
import type { SwarmService } from './swarm/swarm-service.ts'

/** The version of the scheme is a prefix, so that a later scheme need not recreate everything. */
const scheme = 'v1'

export type Owner = { readonly environment: string; readonly application: string; readonly service: string }

/**
 * Returns a hash of everything that Tallyman sets on an instance, including the digests of its images. Versions and
 * commits are no part of it (G3, D6). Instances with the same fingerprint are interchangeable. The number of tasks of a
 * Swarm, and how those are replaced, are no part of it, as with the instances of a host.
 */
export function fingerprintOf(owner: Owner, instance: Instance): string {
  const { environment, application, service } = owner
  const { sandbox, sharesProcesses, init, containers, network, aliases, attachments, runs } = instance
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
    runs: runs && partOfKind(runs),
  }
  return `${scheme}:${hashOf(identity)}`
}

function partOfKind({ replicas, update: _, ...kind }: SwarmService): object {
  return { ...kind, ...(replicas === 'global' ? { isGlobal: true } : {}) }
}

/** Returns the first eight hex digits, which are part of a container's name. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(fingerprint.indexOf(':') + 1).slice(0, 8)
}

/** Returns the digest for a container's label; empty if the image has none. */
export function digestOf(pin: Pin): string {
  return pin.state === 'pinned' ? pin.digest : ''
}

/**
 * Returns everything that is set on a container, as a value to hash. The image is included by its content, however that
 * was found out.
 */
export function containerIdentity(container: Container): object {
  const { image, mounts, needs: _, ...rest } = container
  return {
    ...rest,
    ...(mounts === undefined ? {} : { mounts: mounts.map(setOnEngine) }),
    image: { reference: image.reference, content: imageContent(image.pin) },
  }
}

/** Leaves out whether a volume is exclusive and what the operator allows, because neither is set on an instance. */
function setOnEngine(mount: Mount): object {
  if (mount.kind === 'host') {
    const { within: _, ...rest } = mount
    return rest
  }
  if (mount.kind !== 'volume') return mount
  const { exclusive: _, ...rest } = mount
  return rest
}

/**
 * Returns what the image contains: its digest or, if no registry has it, its id on the engine; empty while that is
 * unknown.
 */
export function imageContent(pin: Pin): string {
  switch (pin.state) {
    case 'pinned':
      return pin.digest
    case 'unverified':
      return pin.imageId
    case 'unknown':
      return ''
  }
}
