import type { ListedContainer } from '../live-container.ts'

/** A running container in the engine's list, with its ports. */
export type Publishing = ListedContainer & { readonly Ports?: readonly PublishedPort[] | null }

type PublishedPort = {
  readonly IP?: string
  readonly PublicPort?: number
  readonly Type: 'tcp' | 'udp' | 'sctp'
}
