import type { Network } from './network.ts'
import type { Volume } from './volume.ts'

/** A pod as its manifest describes it, on its sandbox. With it, its apps can ask the metadata service (C53). */
export type Pod = {
  /** Where the metadata service finds what it tells the apps. No pod mounts it. */
  readonly volume: string
  /** The manifest as it stands in the repository. What it leaves open is known once the images are. */
  readonly manifest: PodTemplate
}

/** A pod manifest of the App Container specification, as far as its parts have to be told apart. */
export type PodTemplate = {
  readonly annotations?: readonly Annotation[]
  readonly apps: readonly AppTemplate[]
}

export type AppTemplate = {
  readonly name: string
  readonly image: ImageTemplate
  readonly app?: object
  readonly annotations?: readonly Annotation[]
}

export type ImageTemplate = { readonly id?: string; readonly labels?: readonly Annotation[] }

export type Annotation = { readonly name: string; readonly value: string }

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
