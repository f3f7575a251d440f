import type { TakenPort } from '../plan/resources.ts'
import { hostPort } from '../state/claim.ts'
import { type Identity, isOurs } from '../state/identity.ts'
import type { Labels } from '../state/labels.ts'
import type { Client } from './client.ts'
import { holderInWords } from './holder-in-words.ts'
import { listContainers } from './list-containers.ts'

/** A running container in the engine's list. */
type Listed = {
  readonly Names: readonly string[]
  readonly Labels: Labels
  readonly Ports?: readonly ListedPort[] | null
}

type ListedPort = {
  readonly IP?: string
  readonly PublicPort?: number
  readonly Type: 'tcp' | 'udp' | 'sctp'
}

/** Returns the ports of the host that running containers publish, except those of the owner. */
export async function takenPorts(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly TakenPort[]> {
  const running = await listContainers<Listed>(client, {}, signal)
  return running
    .filter(({ Labels }) => !isOurs(Labels, owner))
    .flatMap(({ Ports, ...listed }) =>
      (Ports ?? []).flatMap(({ IP, PublicPort, Type: protocol }): readonly TakenPort[] => {
        if (PublicPort === undefined) return []
        const port = hostPort({
          published: PublicPort,
          protocol,
          ...(IP === undefined ? {} : { hostIp: IP }),
        })
        return port === undefined ? [] : [{ port, holder: holderInWords(listed) }]
      }),
    )
}
