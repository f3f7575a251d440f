import { secondsText } from '../../../text/time.ts'
import { linkedAbort } from '../../../wait/linked-abort.ts'
import { poll } from '../../../wait/poll.ts'
import { timeout as abortAfter } from '../../../wait/timer.ts'
import type { Client } from '../../api/client.ts'
import { createLogText } from './log-text.ts'

/** Selects lines: the last `lines` of those written since a time in the engine's format. */
export type Span = { readonly lines: number; readonly since?: string }

/** How long the end of a log is waited for, in ms: whoever asks for it can do without. */
const tailWithinMs = 5_000

/** Said in place of the end of a log that did not come in time. */
export const unreadLog: string = `what it wrote cannot be read within ${secondsText(tailWithinMs)}`

/**
 * Returns the last lines that a container wrote, on both streams; empty if the engine keeps no log that can be read.
 * Undefined if they do not come in time, which says nothing about the engine: a log driver may hang, or a node of a Swarm
 * be lost, or not be back yet. Fails with `interrupted` if the signal aborts.
 */
export function logTail(
  client: Client,
  container: string,
  signal: AbortSignal,
  span?: Span,
): Promise<string | undefined> {
  return tailOf(client, `/containers/${container}/logs`, signal, span)
}

/** The same of any log of the engine, by its path. */
export async function tailOf(
  client: Client,
  path: string,
  signal: AbortSignal,
  { lines, since }: Span = { lines: 5 },
): Promise<string | undefined> {
  const query = { stdout: 1, stderr: 1, tail: lines, ...(since === undefined ? {} : { since: unix(since) }) }
  using limit = linkedAbort(signal, abortAfter(tailWithinMs))
  const limited = limit.signal
  const look = async () => {
    const answer = await client.call<Buffer>({ method: 'GET', path, query, as: 'bytes' }, limited)
    if (!answer.ok) return ''
    const read = createLogText()
    read.add(answer.body)
    const text = read.text()
    return read.isBroken() && text === '' ? undefined : text
  }
  try {
    return await poll(`${client.site}: ${path}`, look, tailWithinMs, limited)
  } catch (error) {
    if (signal.aborted || !limited.aborted) throw error
    return undefined
  }
}

/** Returns a time as the engine takes it: to the nanosecond, because a line may be written within the same millisecond. */
export function unix(time: string): string {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? ''
  return `${Math.floor(Date.parse(time) / 1000)}.${fraction.padEnd(9, '0')}`
}
