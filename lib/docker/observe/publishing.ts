import type { NamedContainer } from './holder-in-words.ts'

/** A running container in the engine's list, with its ports. */
export type Publishing = NamedContainer & { readonly Ports?: readonly PublishedPort[] | null }

type PublishedPort = {
  readonly IP?: string
  readonly PublicPort?: number
  readonly Type: 'tcp' | 'udp' | 'sctp'
}
