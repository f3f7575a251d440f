import { addAbortSignal, type Readable } from 'node:stream'
import type { Client } from '../../docker/api/client.ts'
import { connectionFailure } from '../../docker/api/connection-failure.ts'
import { eachJsonLine } from '../../docker/api/json-lines.ts'
import { refused } from '../../docker/api/refusal.ts'
import type { EngineEvent, Scope } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import { swarmNamePrefix } from '../../state/application/swarm/swarm-service.ts'

type Message = {
  readonly Type: string
  readonly Action: string
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> }
  readonly timeNano: number
}

const types = ['service', 'node']

/**
 * Calls back for each event of a node, and of a service that may be of the scope, until the signal aborts: events of
 * services have no labels, and names begin with that of the environment. A manager tells nothing of tasks on other nodes.
 * Fails with `engine-unreachable` if the connection is lost.
 */
export async function watchSwarm(
  client: Client,
  { environment }: Scope,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
  onListening: () => void = () => undefined,
): Promise<void> {
  const prefix = swarmNamePrefix(environment)
  try {
    const query = { filters: { type: types } }
    const request = { method: 'GET', path: '/events', query, stream: 'watched' } as const
    const answer = await client.call<Readable>(request, signal)
    if (!answer.ok) throw refused(client.site, 'events', answer)
    onListening()
    const stream = addAbortSignal(signal, answer.body)
    await eachJsonLine<Message>(stream, ({ Type, Action, Actor, timeNano }) => {
      const name = Actor.Attributes['name'] ?? ''
      if (Type === 'service' && !name.startsWith(prefix)) return
      onEvent({ site: client.site, container: name, action: Action, atMs: Math.floor(timeNano / 1_000_000) })
    })
    throw new Failure('engine-unreachable', `${client.site}: the engine ended its stream of events`)
  } catch (error) {
    if (signal.aborted) return
    const failure = connectionFailure(client.site, error, signal)
    if (failure.code === 'engine-unreachable') client.noteAway()
    throw failure
  }
}
