import { addAbortSignal, type Readable } from 'node:stream'
import { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import { later } from '../../wait/timer.ts'
import type { Client } from './client.ts'
import { connectionFailure } from './connection-failure.ts'
import { eachJsonLine } from './json-lines.ts'
import { refused } from './refusal.ts'

/** The part of a line of `GET /events` that is used. */
export type EventMessage = {
  readonly Type: string
  readonly Action: string
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> }
  readonly timeNano: number
}

/**
 * How long nothing may come over a stream until it is opened anew, at least; at most twice as long, so that the streams of
 * many sites are not opened at one moment. What is between here and an engine, such as a proxy, often forgets a connection
 * after some minutes over which nothing came. One call in that time is little beside those that the claim of a site takes.
 */
const usualSilentMs = 5 * 60_000

/** What is heard of an engine, and who is told. */
export type Hearing = {
  readonly client: Client
  readonly filters: Readonly<Record<string, readonly string[]>>
  readonly onEvent: (message: EventMessage) => void
  readonly onListening: () => void
  readonly signal: AbortSignal
  /** In place of the usual time, in ms. */
  readonly silentMs?: number
}

/**
 * Calls back for each event that passes the filters, and never resolves. Rejects if the connection is lost, and with
 * `engine-unreachable` if the engine ends the stream. `onListening` is called once the engine has begun to answer: earlier
 * events may be missed.
 *
 * A stream over which nothing comes may be lost without a word, while calls over other connections are answered. So it is
 * opened anew, and goes on where it was heard last: nothing that the engine still knows is missed, and nothing is told
 * twice. An engine keeps its last 256 events, also those that pass no filter. If it never said what time it is, nor told
 * an event, `onListening` is called again instead.
 */
export async function eachEvent(hearing: Hearing): Promise<never> {
  let heardNano: number | undefined
  for (;;) heardNano = await hearUntilSilent(hearing, heardNano)
}

/**
 * Hears one stream until nothing has come over it for long. Returns when the last event happened or, if there was none,
 * from when on events were told; undefined: the engine does not say.
 * @param sinceNano what the stream before returned
 */
async function hearUntilSilent(
  { client, filters, onEvent, onListening, signal, silentMs = usualSilentMs }: Hearing,
  sinceNano: number | undefined,
): Promise<number | undefined> {
  using silence = linkedAbort(signal)
  const query = {
    filters,
    ...optional('since', sinceNano === undefined ? undefined : secondsText(sinceNano)),
  }
  const request = { method: 'GET', path: '/events', query, stream: 'watched' } as const
  const answer = await client.call<Readable>(request, silence.signal)
  if (!answer.ok) throw refused(client.site, 'events', answer)
  if (sinceNano === undefined) onListening()
  let heardNano = sinceNano ?? (answer.atMs === undefined ? undefined : answer.atMs * nanoPerMs)
  const timer = later(silentMs * (1 + Math.random()), () => silence.abort(silent))
  const hear = (message: EventMessage) => {
    timer.again()
    if (message.timeNano === sinceNano) return
    heardNano = message.timeNano
    onEvent(message)
  }
  try {
    await eachJsonLine(addAbortSignal(silence.signal, answer.body), hear)
  } catch (error) {
    if (silence.signal.reason === silent) return heardNano
    throw error
  } finally {
    timer.cancel()
  }
  throw new Failure('engine-unreachable', `${client.site}: the engine ended its stream of events`)
}

const silent: unique symbol = Symbol('nothing came for long')

/**
 * Returns a time as the engine reads it. A number is exact to 256 ns: what happens within that time of an event is seen by
 * the look for which that one asks.
 */
function secondsText(nano: number): string {
  const digits = BigInt(nano).toString().padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`
}

/** Returns why the events of an engine are no longer heard, and notes that it is away if that is why. */
export function eventsLost(client: Client, error: unknown, signal: AbortSignal): Failure {
  const failure = connectionFailure(client.site, error, signal)
  if (failure.code === 'engine-unreachable') client.noteAway()
  return failure
}

/** Returns when an event happened, by the clock of its engine. */
export function eventMs({ timeNano }: Pick<EventMessage, 'timeNano'>): number {
  return Math.floor(timeNano / nanoPerMs)
}

const nanoPerMs = 1_000_000
