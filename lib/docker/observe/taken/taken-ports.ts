import type { TakenPort } from '../../../plan/resources.ts'
import { hostPort } from '../../../state/application/claim.ts'
import { type Identity, isOurs } from '../../../state/identity.ts'
import type { Client } from '../../api/client.ts'
import { listContainers } from '../list-containers.ts'
import { holderInWords } from './holder-in-words.ts'
import type { Publishing } from './publishing.ts'

/** Returns the ports of the host that running containers publish, except those of the owner. */
export function takenPorts(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly TakenPort[]> {
  return publishedBy(client, ({ Labels }) => !isOurs(Labels, owner), signal)
}

/** Returns the ports of the host that these of its running containers publish. */
export async function publishedBy(
  client: Client,
  isMeant: (container: Publishing) => boolean,
  signal: AbortSignal,
): Promise<readonly TakenPort[]> {
  const running = await listContainers<Publishing>(client, {}, signal)
  return running.filter(isMeant).flatMap(({ Ports, ...listed }) =>
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
