import { steadyMs } from '../../../clock.ts'
import { largestOf } from '../../../numbers.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import { pause, poll } from '../../../wait/poll.ts'
import type { Client } from '../../api/client.ts'
import { aliasesOf, attachmentOf, disconnect, reconnect } from '../../container/attachment.ts'
import { inspectContainer } from '../../container/inspect/inspect.ts'
import { runningIngress, underWay } from '../../ingress/ingress-container.ts'
import { graceMsOf } from '../container/stop-container.ts'

type Drain = StepOf<'drain'>

/**
 * How long the ingress may still send requests to an address after the name is gone: it looks the name up again after
 * 200 ms, and may begin a little late. The name is gone before the container is attached again, which itself takes tens
 * of milliseconds.
 */
const settleMs = 250

/**
 * Takes the alias from an instance on its gate, and waits until no request to it is under way.
 * - The instance stays on the gate, so that its own end closes its connections, which the ingress sees. If it only left
 *   the gate, the ingress would keep connections that look open, and lead to whoever gets the address next.
 * - What was done before a crash is recognised and not repeated. A crash between the two calls leaves the instance off
 *   its gate: then there is nothing left to do.
 * - The wait lasts at most for the longest grace period of the `members`. Requests under way then continue until the
 *   instance ends.
 * - A stopped container has no requests: it is taken from the gate.
 * - If the ingress does not say what is under way, the whole grace period is waited for, and that is noted.
 */
export async function drainInstance(
  client: Client,
  { container, network, members }: Drain,
  provenance: Provenance,
  signal: AbortSignal,
  note: (words: string) => void,
): Promise<void> {
  const there = await inspectContainer(client, container, signal)
  const endpoint = there && attachmentOf(there, network)
  if (there === undefined || endpoint === undefined) return
  if (there.State.Status !== 'running') return disconnect(client, there.Id, network, signal)
  const endMs = steadyMs() + (await longestGraceMs(client, members, signal))
  if (aliasesOf(there, endpoint).length > 0) {
    const refusal = await reconnect(client, there, { network, endpoint, aliases: [] })
    if (refusal !== undefined) return note(`its open connections were cut: ${refusal.message}`)
  }
  await pause(`${client.site}: ${container}`, settleMs, signal)
  await awaitIdle({ client, container, address: endpoint.IPAddress, endMs, provenance, signal, note })
}

async function longestGraceMs(
  client: Client,
  members: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const inspected = await Promise.all(members.map(member => inspectContainer(client, member, signal)))
  return largestOf(inspected, one => (one === undefined ? 0 : graceMsOf(one)))
}

type Wait = {
  readonly client: Client
  readonly container: string
  readonly address: string
  /** On the steady clock. */
  readonly endMs: number
  readonly provenance: Provenance
  readonly signal: AbortSignal
  readonly note: (words: string) => void
}

/** Waits until the ingress has no request to the address under way, or is gone itself. */
async function awaitIdle(wait: Wait): Promise<void> {
  const { client, container, address, endMs, provenance, signal, note } = wait
  let said: string | undefined
  const look = async () => {
    const ingress = await runningIngress(client, provenance, signal)
    const count = ingress === undefined ? 0 : await underWay(client, ingress, address, signal)
    if (typeof count === 'number') return count === 0 ? true : undefined
    if (count !== said)
      note(`waits for its grace period, as the ingress does not say what is under way: ${count}`)
    said = count
    return undefined
  }
  await poll(`${client.site}: ${container}`, look, endMs - steadyMs(), signal)
}
