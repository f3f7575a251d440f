import type { Network } from './network.ts'
import type { Volume } from './volume.ts'

/** On the sandbox of a pod whose apps can ask the metadata service (C53). */
export type ToldManifest = {
  /** Where the service finds what it tells them. No pod mounts it. */
  readonly volume: string
  /**
   * A hash of what the manifest in the repository says. What a pod is told never changes, so another manifest is another
   * pod.
   */
  readonly manifest: string
}

/** The name of the metadata service as an application, and as a host. No manifest can use it. */
export const metadataName = 'tallyman-metadata'

/**
 * Returns the network on which the metadata service answers the instances of one pod. Nobody else is on it, so that no
 * pod can listen to another, or answer in the place of the service.
 */
export function metadataNetwork(environment: string, application: string, pool: string): Network {
  return { name: `${environment}.${application}${networkEnd}`, application, mode: 'internal', pool }
}

/** Whether a network is one between a pod and the metadata service, by its name. */
export function isMetadataNetwork(network: string): boolean {
  return network.endsWith(networkEnd)
}

const networkEnd = '.metadata'

/** Returns the volume in which the metadata service finds its key and what it tells pods. */
export function metadataVolume(environment: string): Volume {
  return { name: `${environment}.${metadataName}.data`, application: metadataName }
}
