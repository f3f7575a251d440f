import type { TakenPort } from '../../../plan/resources.ts'
import { hostPort } from '../../../state/application/claim.ts'
import type { Identity } from '../../../state/identity.ts'
import type { Client } from '../../api/client.ts'
import { listContainers } from '../list-containers.ts'
import { ownContainers } from '../own-containers.ts'
import { holderInWords } from './holder-in-words.ts'
import type { Publishing } from './publishing.ts'

/** Returns the ports of the host that running containers publish, except those of the owner. */
export async function takenPorts(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly TakenPort[]> {
  // What tells a copy of one of ours from that one is that both are there, and only the copy may run.
  const all = await listContainers<Publishing>(client, { all: 1 }, signal)
  const own = new Set(ownContainers(all, owner).map(({ listed }) => listed))
  return publishedBy(all.filter(listed => !own.has(listed)))
}

/** Returns the ports of the host that these of its containers publish. */
export function publishedBy(containers: readonly Publishing[]): readonly TakenPort[] {
  return containers.flatMap(({ Ports, ...listed }) =>
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
