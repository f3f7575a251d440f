import { addAbortSignal, type Readable } from 'node:stream'
import { Failure } from '../../errors.ts'
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
 * Calls back for each event that passes the filters, and never resolves. Rejects if the connection is lost, and with
 * `engine-unreachable` if the engine ends the stream. `onListening` is called once the engine has begun to answer: earlier
 * events may be missed.
 */
export async function eachEvent(
  client: Client,
  filters: Readonly<Record<string, readonly string[]>>,
  onEvent: (message: EventMessage) => void,
  signal: AbortSignal,
  onListening: () => void,
): Promise<never> {
  const request = { method: 'GET', path: '/events', query: { filters }, stream: 'watched' } as const
  const answer = await client.call<Readable>(request, signal)
  if (!answer.ok) throw refused(client.site, 'events', answer)
  onListening()
  await eachJsonLine(addAbortSignal(signal, answer.body), onEvent)
  throw new Failure('engine-unreachable', `${client.site}: the engine ended its stream of events`)
}

/** Returns why the events of an engine are no longer heard, and notes that it is away if that is why. */
export function eventsLost(client: Client, error: unknown, signal: AbortSignal): Failure {
  const failure = connectionFailure(client.site, error, signal)
  if (failure.code === 'engine-unreachable') client.noteAway()
  return failure
}

/** Returns when an event happened, by the clock of its engine. */
export function eventMs({ timeNano }: Pick<EventMessage, 'timeNano'>): number {
  return Math.floor(timeNano / 1_000_000)
}
