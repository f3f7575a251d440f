import type { EngineEvent, Scope } from '../../engine.ts'
import { optional } from '../../object.ts'
import { isOurs } from '../../state/identity.ts'
import { type Labels, label, labelOf } from '../../state/labels.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import type { Client } from '../api/client.ts'
import { type EventMessage, eachEvent, eventMs, eventsLost } from '../api/events.ts'
import { ownFilter } from '../ownership.ts'
import { listContainers } from './list-containers.ts'
import { engineNameOf, type ListedContainer } from './live-container.ts'
import { forgetLook } from './looks.ts'

/**
 * What may change what is observed: of containers the first ones, but not those of a health check or an `exec` inside
 * of them; of networks the last two. An engine filters by the labels of networks and containers alike, and networks do
 * not have those of the containers. So it is not asked to filter by labels, and one stream tells everything: each of
 * them keeps a connection open, or a channel of one.
 */
const filters = {
  type: ['container', 'network'],
  event: [
    ...['start', 'die', 'stop', 'oom', 'pause', 'unpause', 'destroy', 'health_status'],
    ...['rename', 'update', 'connect', 'disconnect'],
  ],
}

/**
 * Calls back for each event of the scope's containers until the signal aborts. Fails with `engine-unreachable` if the
 * connection is lost. Later events are missed then, so the caller has to look at everything again. `onListening` is
 * called once the engine has begun to answer: earlier events may be missed.
 */
export async function watch(
  client: Client,
  scope: Scope,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
  onListening: () => void = () => undefined,
): Promise<void> {
  using lost = linkedAbort(signal)
  const both = lost.signal
  /** One question at a time, which no event of a container waits for. */
  let naming = Promise.resolve()
  const hear = ({ Type, Action, Actor, timeNano }: EventMessage) => {
    const tell = (container: string, labels: Labels) => {
      const application = labelOf(labels, label.application)
      onEvent({
        ...{ site: client.site, container, action: Action, atMs: eventMs({ timeNano }) },
        ...optional('application', application),
      })
    }
    const { name = '', container: attached } = Actor.Attributes
    if (Type === 'container' && isMeant(client, Actor.Attributes, scope)) {
      if (Action === 'update') forgetLook(Actor.ID, client.looks)
      tell(name, Actor.Attributes)
    }
    if (Type !== 'network' || attached === undefined) return
    naming = naming
      .then(async () => {
        const own = await ours(client, scope, attached, both)
        if (own !== undefined) tell(engineNameOf(own.Names), own.Labels)
      })
      .catch(error => lost.abort(error))
  }
  try {
    await eachEvent({ client, filters, onEvent: hear, onListening, signal: both })
  } catch (error) {
    if (signal.aborted) return
    throw eventsLost(client, both.reason ?? error, signal)
  } finally {
    lost.abort()
    client.looks.clear()
  }
}

/**
 * Whether a container is one of the scope, or what the operator provides as its ingress. One that Tallyman only makes to
 * look into an image or a volume is of no service, and whatever happens to it changes nothing.
 */
function isMeant({ hasExternalIngress }: Client, labels: Labels, scope: Scope): boolean {
  const isOfService = labelOf(labels, label.service) !== undefined
  return (
    (isOurs(labels, scope) && isOfService) ||
    (hasExternalIngress && labelOf(labels, label.ingress) === scope.environment)
  )
}

/** Events of networks have no labels of containers, so the engine is asked to which container an event belongs. */
async function ours(
  client: Client,
  scope: Scope,
  id: string,
  signal: AbortSignal,
): Promise<ListedContainer | undefined> {
  const filters = { ...ownFilter(scope), id: [id], status: ['running'] }
  const running = await listContainers(client, { filters }, signal)
  return running.find(({ Labels }) => isOurs(Labels, scope))
}
