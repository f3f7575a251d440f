import { addAbortSignal, type Readable } from 'node:stream'
import type { EngineEvent, Scope } from '../engine.ts'
import { Failure } from '../errors.ts'
import type { Client } from './client.ts'
import { connectionFailure } from './connection-failure.ts'
import { jsonLines } from './json-lines.ts'
import { ownFilter } from './ownership.ts'
import { refused } from './refusal.ts'

/** One line of `GET /events`, as far as it is used. */
type Message = {
  readonly Action: string
  readonly Actor: { readonly Attributes: Readonly<Record<string, string>> }
  readonly timeNano: number
}

/** What may change what is observed; what a health check or an `exec` does inside a container does not. */
const actions = [
  'start',
  'die',
  'stop',
  'oom',
  'pause',
  'unpause',
  'rename',
  'destroy',
  'health_status',
] as const

/**
 * Calls back for each event of the scope's containers until the signal aborts. Fails with `engine-unreachable` when
 * the connection is lost.
 */
export async function watch(
  client: Client,
  scope: Scope,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  try {
    await listen(client, scope, onEvent, signal)
  } catch (error) {
    if (signal.aborted) return
    throw connectionFailure(client.site, error, signal)
  }
}

async function listen(
  client: Client,
  scope: Scope,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const filters = { ...ownFilter(scope), type: ['container'], event: actions }
  const answer = await client.call<Readable>(
    { method: 'GET', path: '/events', query: { filters }, stream: true },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'events', answer)
  for await (const message of jsonLines<Message>(addAbortSignal(signal, answer.body)))
    onEvent(toEvent(client.site, message))
  throw new Failure('engine-unreachable', `${client.site}: the engine ended its stream of events`)
}

function toEvent(site: string, { Action, Actor, timeNano }: Message): EngineEvent {
  return {
    site,
    container: Actor.Attributes['name'] ?? '',
    action: Action,
    atMs: Math.floor(timeNano / 1_000_000),
  }
}
