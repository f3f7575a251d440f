import type { Client } from '../../docker/api/client.ts'
import { type EventMessage, eachEvent, eventMs, eventsLost } from '../../docker/api/events.ts'
import type { EngineEvent, Scope } from '../../engine.ts'
import { swarmNamePrefix } from '../../state/application/swarm/swarm-service.ts'

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
  const hear = ({ Type, Action, Actor, timeNano }: EventMessage) => {
    const name = Actor.Attributes['name'] ?? ''
    if (Type === 'service' && !name.startsWith(prefix)) return
    onEvent({ site: client.site, container: name, action: Action, atMs: eventMs({ timeNano }) })
  }
  try {
    await eachEvent({ client, filters: { type: types }, onEvent: hear, onListening, signal })
  } catch (error) {
    if (signal.aborted) return
    throw eventsLost(client, error, signal)
  }
}
