import { addAbortSignal, type Readable } from 'node:stream'
import { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { LogLine, LogSpan } from '../../state/running/logged.ts'
import { secondsText } from '../../text/time.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import { later } from '../../wait/timer.ts'
import { type Client, patientMs } from '../api/client.ts'
import { connectionFailure } from '../api/connection-failure.ts'
import { refused } from '../api/refusal.ts'
import { writtenFiles } from '../container/files/written-files.ts'
import { inspectExisting } from '../container/inspect/inspect.ts'
import { hiding } from '../container/output/excerpt.ts'
import { unix } from '../container/output/log-tail.ts'
import { logLinesOf } from './lines.ts'

/**
 * Yields the lines that a container wrote, as `Engine.log` says. Hides what Tallyman hides of every container, and the
 * contents of the files that it wrote into this one.
 */
export async function* readLog(
  client: Client,
  container: string,
  span: LogSpan,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const there = await inspectExisting(client, container, signal)
  const files = await writtenFiles(client, there, signal)
  const contents = files.map(({ content }) => content)
  const hide = hiding(client.redact, there.Config.Env, contents)
  const driver = there.HostConfig.LogConfig?.Type ?? ''
  const name = (there.Name ?? there.Id).replace(/^\//, '')
  const log = {
    path: `/containers/${there.Id}/logs`,
    name,
    driver,
    hasTerminal: there.Config.Tty === true,
    hide,
  }
  yield* engineLines(client, log, span, signal)
}

/** A log of an engine. */
export type EngineLog = {
  readonly path: string
  /** What it is of, for people. */
  readonly name: string
  /** The log driver, if it is known. */
  readonly driver: string
  readonly hasTerminal: boolean
  readonly hide: (text: string) => string
  /**
   * How long its beginning is waited for, in ms, where that depends on others than the engine, so that its silence says
   * nothing about the engine; absent: for as long as an engine may take.
   */
  readonly beginsWithinMs?: number
}

/** Yields the lines of a log, as `Engine.log` says. */
export async function* engineLines(
  client: Client,
  log: EngineLog,
  span: LogSpan,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const stream = await openLog(client, log, span, signal)
  try {
    const lines = logLinesOf(chunksOf(client.site, stream, span), log.hasTerminal, log.hide)
    for await (const line of lines) if (span.after === undefined || line.at > span.after) yield line
  } catch (error) {
    throw connectionFailure(client.site, error, signal)
  } finally {
    stream.destroy()
  }
}

async function openLog(
  client: Client,
  { path, name, driver, beginsWithinMs }: EngineLog,
  { since, after, tail, follow }: LogSpan,
  signal: AbortSignal,
): Promise<Readable> {
  const from = after ?? since
  const query = {
    ...{ stdout: 1, stderr: 1, timestamps: 1, follow: follow ? 1 : 0 },
    ...optional('since', from === undefined ? undefined : unix(from)),
    ...optional('tail', tail),
  }
  const request = { method: 'GET', path, query, stream: 'watched', limitMs: patientMs } as const
  using limit = linkedAbort(signal)
  const limited = limit.signal
  const timer = beginsWithinMs === undefined ? undefined : later(beginsWithinMs, () => limit.abort())
  const answer = await client
    .call<Readable>(request, limited)
    .catch((error: unknown) => {
      if (signal.aborted || !limited.aborted || beginsWithinMs === undefined) throw error
      const words = `its node tells nothing of its log for ${secondsText(beginsWithinMs)}`
      throw new Failure('engine-unreachable', `${client.site}: ${name}: ${words}`, { resource: name })
    })
    .finally(() => timer?.cancel())
  if (answer.ok) return addAbortSignal(signal, answer.body)
  if (!/does not support reading/i.test(answer.message)) throw refused(client.site, name, answer)
  throw new Failure(
    'log-unreadable',
    `${client.site}: ${name}: the log driver "${driver}" keeps nothing to read`,
    {
      resource: name,
    },
  )
}

/** A container may be silent for as long as it likes, but what it wrote before comes at once. */
async function* chunksOf(site: string, stream: Readable, { follow }: LogSpan): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]()
  const late = () => {
    const message = `${site}: the Docker Engine sent nothing of a log for ${secondsText(patientMs)}`
    stream.destroy(new Failure('engine-unreachable', message))
  }
  for (;;) {
    const timer = follow ? undefined : later(patientMs, late)
    const { done, value } = await chunks.next().finally(() => timer?.cancel())
    if (done === true) return
    yield value
  }
}
