import type { Client } from '../../docker/api/client.ts'
import { ownFilter } from '../../docker/ownership.ts'
import type { Scope } from '../../engine.ts'
import type { LiveState, ServiceMark } from '../../state/running/live.ts'
import { byText } from '../../text/order.ts'
import { askFor } from '../api/asked.ts'
import type { ToldService } from '../api/service.ts'
import { tasksBy } from '../api/tasks.ts'
import { isOwn } from '../service/own.ts'
import { keepMarks, type MarkServices } from './kept-marks.ts'
import { toLiveService } from './live-service.ts'
import { knowNodes } from './nodes.ts'

/** What is known of a Swarm besides what its manager tells. */
export type KnownSwarm = {
  /** The key of marks. */
  readonly key: () => Promise<Buffer>
  /** What the manager told right after this process changed a service, by the id of that. */
  readonly told: Map<string, ServiceMark>
  readonly marksOf: MarkServices
  /** The names of its nodes by their ids, as far as tasks ran there. */
  readonly nodes: Map<string, string>
}

/** Returns what is known of a Swarm at first: nothing. */
export function nothingKnown(key: KnownSwarm['key']): KnownSwarm {
  return { key, told: new Map(), marksOf: keepMarks(), nodes: new Map() }
}

/** Returns the services of a scope, with two list calls: services and tasks. One for nodes is added if a new one runs a task. */
export async function observeSwarm(
  client: Client,
  { key, told, marksOf, nodes }: KnownSwarm,
  scope: Scope,
  signal: AbortSignal,
): Promise<LiveState> {
  const query = { filters: ownFilter(scope) }
  const [services, tasks, secret] = await Promise.all([
    askFor<readonly ToldService[]>(
      client,
      'list of services',
      { method: 'GET', path: '/services', query },
      signal,
    ),
    tasksBy(client, query.filters, signal),
    key(),
  ])
  await knowNodes(client, nodes, tasks, signal)
  const tasksOf = Map.groupBy(tasks, ({ ServiceID }) => ServiceID)
  const own = services.filter(({ Spec }) => isOwn(Spec, scope))
  const marks = marksOf(scope, own, secret)
  const containers = own
    .flatMap(service => {
      const [mark, known] = [marks.get(service.ID) ?? {}, told.get(service.ID)]
      const besides = { mark, names: nodes, ...(known === undefined ? {} : { told: known }) }
      return toLiveService(service, tasksOf.get(service.ID) ?? [], besides) ?? []
    })
    .sort(byText(({ engineName }) => engineName))
  return { site: client.site, containers }
}
