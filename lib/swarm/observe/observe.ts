import type { Client } from '../../docker/api/client.ts'
import { ownFilter } from '../../docker/ownership.ts'
import type { Scope } from '../../engine.ts'
import type { LiveState, ServiceMark } from '../../state/running/live.ts'
import { byText } from '../../text/order.ts'
import type { Task, ToldService } from '../api/service.ts'
import { servicesBy } from '../api/services.ts'
import { tasksBy, tasksOfAll } from '../api/tasks.ts'
import { isOwn } from '../service/own.ts'
import { keepMarks, type MarkServices } from './kept-marks.ts'
import { toLiveService } from './live-service.ts'
import { knowNodes } from './nodes.ts'
import { standingOf } from './task/standing.ts'
import { isJobService } from './task/try-of-job.ts'

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

/**
 * Returns the services of a scope, with two list calls: services, and the tasks that should run. One more is made for
 * what became of earlier tasks if some do not run, or a hook or phase is there, and one for nodes if a new one runs a
 * task.
 */
export async function observeSwarm(
  client: Client,
  { key, told, marksOf, nodes }: KnownSwarm,
  scope: Scope,
  signal: AbortSignal,
): Promise<LiveState> {
  const filters = ownFilter(scope)
  const [services, meant, secret] = await Promise.all([
    servicesBy(client, filters, signal),
    tasksBy(client, { ...filters, 'desired-state': meantToRun }, signal),
    key(),
  ])
  const own = services.filter(({ Spec }) => isOwn(Spec, scope))
  const tasks = await withEarlier(client, own, meant, signal)
  await knowNodes(client, nodes, tasks, signal)
  const tasksOf = Map.groupBy(tasks, ({ ServiceID }) => ServiceID)
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

/** The states that a Swarm wants of tasks that it has not replaced. It keeps several others of each. */
const meantToRun = ['running', 'ready', 'complete']

/** How many services are named in one question. */
const mostNamed = 50

/** Adds the earlier tasks of services of which these do not tell all: hooks and phases, and those of which some do not run. */
async function withEarlier(
  client: Client,
  services: readonly ToldService[],
  meant: readonly Task[],
  signal: AbortSignal,
): Promise<readonly Task[]> {
  const tasksOf = Map.groupBy(meant, ({ ServiceID }) => ServiceID)
  const unclear = services.filter(service => {
    const { running, wanted } = standingOf(service, tasksOf.get(service.ID) ?? [])
    return running < wanted || isJobService(service)
  })
  const ids = new Set(unclear.map(({ ID }) => ID))
  const parts = Array.from({ length: Math.ceil(unclear.length / mostNamed) }, (_, at) =>
    [...ids].slice(at * mostNamed, (at + 1) * mostNamed),
  )
  const all = await Promise.all(parts.map(service => tasksOfAll(client, { service }, signal)))
  // One of them is gone by now.
  if (all.some(part => part === undefined)) return meant
  return [...meant.filter(({ ServiceID }) => !ids.has(ServiceID)), ...all.flatMap(part => part ?? [])]
}
