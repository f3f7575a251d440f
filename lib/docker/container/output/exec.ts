import { addAbortSignal, type Readable } from 'node:stream'
import { linkedAbort } from '../../../wait/linked-abort.ts'
import { poll } from '../../../wait/poll.ts'
import { timeout as abortAfter } from '../../../wait/timer.ts'
import type { Client } from '../../api/client.ts'
import type { EngineAnswer } from '../../api/connection/dial.ts'
import { connectionFailure } from '../../api/connection-failure.ts'
import { refused } from '../../api/refusal.ts'
import { createLogText } from './log-text.ts'

/** A program to run in a container, how long it may take, and how much of its output is kept. */
export type Execution = {
  readonly argv: readonly string[]
  readonly limitMs: number
  /** Absent: 1 MiB. */
  readonly mostBytes?: number
}

/** The result of a program in a container: its output on both streams, and its exit code. */
export type Ran = {
  readonly output: string
  /** The output is only its beginning: the program said more than is kept. */
  readonly isCut?: true
  /** Absent: it did not end in time, and still runs. 126 or 127: the engine could not run it. */
  readonly exitCode?: number
}

/** The beginning of the output is kept. The rest is read and dropped, and that is said. */
const usualBytes = 1 << 20
/** The time for the engine to know the end of a program that closed its outputs. */
const endMs = 5_000

/**
 * Runs a program in a running container, within its limits. Its end is an answer, and so is the engine's refusal if
 * the container does not run.
 */
export async function exec(
  client: Client,
  container: string,
  { argv, ...limits }: Execution,
  signal: AbortSignal,
): Promise<EngineAnswer<Ran>> {
  const made = await client.call<{ readonly Id: string }>(
    {
      method: 'POST',
      path: `/containers/${container}/exec`,
      body: { AttachStdout: true, AttachStderr: true, Cmd: argv },
    },
    signal,
  )
  if (!made.ok) return made
  const { Id } = made.body
  const started = await client.call<Readable>(
    { method: 'POST', path: `/exec/${Id}/start`, body: { Detach: false, Tty: false }, stream: 'watched' },
    signal,
  )
  if (!started.ok) return started
  const { output, isCut, isAtEnd } = await read(client, started.body, limits, signal)
  const exitCode = isAtEnd ? await exitCodeOf(client, container, Id, signal) : undefined
  const ran = { output, ...(isCut ? { isCut } : {}), ...(exitCode === undefined ? {} : { exitCode }) }
  return { ok: true, body: ran }
}

/** Returns what arrives until the stream ends, or the time is over. */
async function read(
  client: Client,
  stream: Readable,
  { limitMs, mostBytes = usualBytes }: Omit<Execution, 'argv'>,
  signal: AbortSignal,
): Promise<{ readonly output: string; readonly isCut: boolean; readonly isAtEnd: boolean }> {
  const limit = abortAfter(limitMs)
  using either = linkedAbort(signal, limit)
  const written = createLogText()
  let bytes = 0
  const kept = () => ({ output: written.text(), isCut: bytes > mostBytes })
  try {
    for await (const chunk of addAbortSignal(either.signal, stream)) {
      if (bytes < mostBytes) written.add(chunk.subarray(0, mostBytes - bytes))
      bytes += chunk.length
    }
    return { ...kept(), isAtEnd: true }
  } catch (error) {
    if (limit.aborted && !signal.aborted) return { ...kept(), isAtEnd: false }
    throw connectionFailure(client.site, error, signal)
  }
}

async function exitCodeOf(
  client: Client,
  container: string,
  id: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const look = async () => {
    const answer = await client.call<{ readonly Running: boolean; readonly ExitCode: number | null }>(
      { method: 'GET', path: `/exec/${id}/json` },
      signal,
    )
    if (!answer.ok) throw refused(client.site, container, answer)
    return answer.body.Running ? undefined : (answer.body.ExitCode ?? undefined)
  }
  return poll(`${client.site}: ${container}`, look, endMs, signal)
}
