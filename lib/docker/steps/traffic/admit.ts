import type { StepOf } from '../../../plan/step/step.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { aliasesOf, attachmentOf, reconnect } from '../../container/attachment.ts'
import { inspectExisting } from '../../container/inspect/inspect.ts'
import { connectNetwork } from '../network/networks.ts'

type Admit = StepOf<'admit'>

/**
 * Attaches an instance to its gate under the alias. If it is attached without the alias, because its draining was
 * interrupted, it keeps its address and so its open connections. Fails with `container-missing`.
 */
export async function admit(
  client: Client,
  { container, network, alias }: Admit,
  signal: AbortSignal,
): Promise<void> {
  const there = await inspectExisting(client, container, signal)
  const endpoint = attachmentOf(there, network)
  const aliases = [alias]
  if (endpoint === undefined) return connectNetwork(client, { container, network, aliases }, signal)
  if (aliasesOf(there, endpoint).includes(alias)) return
  const refusal = await reconnect(client, there, { network, endpoint, aliases })
  if (refusal !== undefined) throw refused(client.site, container, refusal)
}
