import { addAbortSignal, type Readable } from 'node:stream'
import type { EngineEvent, Scope } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import { isOurs } from '../../state/identity.ts'
import type { Client } from '../api/client.ts'
import { connectionFailure } from '../api/connection-failure.ts'
import { jsonLines } from '../api/json-lines.ts'
import { refused } from '../api/refusal.ts'
import { externalFilter } from '../ingress/ingress-container.ts'
import { ownFilter } from '../ownership.ts'
import { listContainers } from './list-containers.ts'
import { engineNameOf } from './live-container.ts'

/** The part of a line of `GET /events` that is used. */
type Message = {
  readonly Action: string
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> }
  readonly timeNano: number
}

type Filters = Readonly<Record<string, readonly string[]>>

/** Actions that may change what is observed. Those of a health check or an `exec` inside a container do not. */
const actions = [
  ...['start', 'die', 'stop', 'oom', 'pause', 'unpause', 'destroy', 'health_status'],
  ...['rename', 'update'],
]

/**
 * Calls back for each event of the scope's containers until the signal aborts. Fails with `engine-unreachable` if the
 * connection is lost. Later events are missed then, so the caller has to look at everything again. `onListening` is
 * called once the engine has begun to answer on every stream: earlier events may be missed.
 */
export async function watch(
  client: Client,
  scope: Scope,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
  onListening: () => void = () => undefined,
): Promise<void> {
  let unopened = client.hasExternalIngress ? 3 : 2
  const onOpen = () => {
    unopened -= 1
    if (unopened === 0) onListening()
  }
  const lost = new AbortController()
  const both = AbortSignal.any([signal, lost.signal])
  try {
    await Promise.all([
      watchContainers(client, ownFilter(scope), labels => isOurs(labels, scope), onEvent, onOpen, both),
      watchAttachments(client, scope, onEvent, onOpen, both),
      ...(client.hasExternalIngress
        ? [watchContainers(client, externalFilter(scope), () => true, onEvent, onOpen, both)]
        : []),
    ])
  } catch (error) {
    if (signal.aborted) return
    const failure = connectionFailure(client.site, error, signal)
    if (failure.code === 'engine-unreachable') client.noteAway()
    throw failure
  } finally {
    lost.abort()
    client.looks.clear()
  }
}

async function watchContainers(
  client: Client,
  whose: Filters,
  isMeant: (labels: Message['Actor']['Attributes']) => boolean,
  onEvent: (event: EngineEvent) => void,
  onOpen: () => void,
  signal: AbortSignal,
): Promise<void> {
  const filters = { ...whose, type: ['container'], event: actions }
  for await (const { Action, Actor, timeNano } of messages(client, filters, onOpen, signal)) {
    if (!isMeant(Actor.Attributes)) continue
    const container = Actor.Attributes['name'] ?? ''
    if (Action === 'update') client.looks.delete(Actor.ID)
    onEvent({ site: client.site, container, action: Action, atMs: toMs(timeNano) })
  }
}

/** Events of networks have no labels of containers, so the engine is asked to which container an event belongs. */
async function watchAttachments(
  client: Client,
  scope: Scope,
  onEvent: (event: EngineEvent) => void,
  onOpen: () => void,
  signal: AbortSignal,
): Promise<void> {
  const filters = { type: ['network'], event: ['connect', 'disconnect'] }
  for await (const { Action, Actor, timeNano } of messages(client, filters, onOpen, signal)) {
    const id = Actor.Attributes['container']
    const name = id === undefined ? undefined : await nameOfOurs(client, scope, id, signal)
    if (name !== undefined)
      onEvent({ site: client.site, container: name, action: Action, atMs: toMs(timeNano) })
  }
}

async function nameOfOurs(
  client: Client,
  scope: Scope,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const filters = { ...ownFilter(scope), id: [id], status: ['running'] }
  const running = await listContainers(client, { filters }, signal)
  const [listed] = running.filter(({ Labels }) => isOurs(Labels, scope))
  return listed && engineNameOf(listed.Names)
}

async function* messages(
  client: Client,
  filters: Filters,
  onOpen: () => void,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const answer = await client.call<Readable>(
    { method: 'GET', path: '/events', query: { filters }, stream: 'watched' },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'events', answer)
  onOpen()
  yield* jsonLines<Message>(addAbortSignal(signal, answer.body))
  throw new Failure('engine-unreachable', `${client.site}: the engine ended its stream of events`)
}

function toMs(nanoseconds: number): number {
  return Math.floor(nanoseconds / 1_000_000)
}
