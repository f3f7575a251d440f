import type { Client } from '../../docker/api/client.ts'
import { connectionFailure } from '../../docker/api/connection-failure.ts'
import { ownFilter } from '../../docker/ownership.ts'
import type { Identity } from '../../state/identity.ts'
import { abortable } from '../../wait/abortable.ts'
import { inRounds } from '../api/in-rounds.ts'
import type { Task, ToldService } from '../api/service.ts'
import { servicesBy } from '../api/services.ts'
import { tasksBy, tasksOfAll } from '../api/tasks.ts'
import { forgetFiles, type HeldFiles, listHeld } from '../service/files.ts'
import { failureOfOther } from '../service/find.ts'
import { hasOneNode, lostNodes } from './nodes.ts'
import { hasTaskEnded } from './task/standing.ts'

/** A service and its tasks, as one look showed them. */
export type ServiceWithTasks = { readonly there: ToldService; readonly tasks: readonly Task[] }

/**
 * What many steps of one owner ask a manager for while they wait, each time for all of them at once. A thousand steps
 * that ask one by one would keep it from what they wait for.
 */
export type JointLooks = {
  /** Returns a service by its name, and its tasks; undefined if there is none. Fails with `name-taken` if it is another's. */
  service(name: string, signal: AbortSignal): Promise<ServiceWithTasks | undefined>
  /** Whether any task of a service may still run, by its id: it may be removed. One on a node that is lost counts for nothing. */
  mayRun(id: string, signal: AbortSignal): Promise<boolean>
  /** Whether there is one node only, so that no other has yet to hear of an address that is gone. */
  hasOneNode(signal: AbortSignal): Promise<boolean>
  /** Returns the configs and secrets of the owner. */
  held(signal: AbortSignal): Promise<HeldFiles>
  /** Removes those that no service names, by the manager of whoever asked last: each call is made while that may (D17). */
  forgetFiles(manager: Client, signal: AbortSignal): Promise<void>
}

/** Returns the joint looks of each owner. */
export function jointLooks(client: Client): (owner: Identity) => JointLooks {
  const known = new Map<string, JointLooks>()
  return owner => {
    const name = JSON.stringify([owner.environment, owner.source, owner.directory])
    const looks = known.get(name) ?? looksOf(client, owner)
    known.set(name, looks)
    return looks
  }
}

const all = 'all'

function looksOf(client: Client, owner: Identity): JointLooks {
  // Each call has a limit of its own. Whoever waits is cut off, and the others go on.
  const { signal: unending } = new AbortController()
  const services = inRounds(names => lookAt(client, names, unending))
  const going = inRounds(async ids => {
    const tasks = (await tasksBy(client, ownFilter(owner), unending)).filter(
      task => ids.includes(task.ServiceID) && !hasTaskEnded(task),
    )
    const isLost = await lostNodes(client, tasks, unending)
    return new Map(tasks.flatMap(({ ServiceID, NodeID }) => (isLost(NodeID) ? [] : [[ServiceID, true]])))
  })
  const isOne = inRounds(async () => new Map([[all, await hasOneNode(client, unending)]]))
  const held = inRounds(async () => new Map([[all, await listHeld(client, owner, unending)]]))
  let writing = client
  const forgets = inRounds(async () => new Map([[all, await forgetFiles(writing, owner, unending)]]))
  const until = <T>(asked: Promise<T>, signal: AbortSignal) =>
    abortable(asked, signal).catch((error: unknown) => {
      throw connectionFailure(client.site, error, signal)
    })
  return {
    async service(name, signal) {
      const looked = await until(services(name), signal)
      const failure = looked && failureOfOther(client.site, looked.there, owner)
      if (failure !== undefined) throw failure
      return looked
    },
    mayRun: async (id, signal) => (await until(going(id), signal)) ?? false,
    hasOneNode: async signal => (await until(isOne(all), signal)) ?? false,
    held: async signal => (await until(held(all), signal)) ?? { config: [], secret: [] },
    forgetFiles(manager, signal) {
      writing = manager
      return until(forgets(all), signal)
    },
  }
}

/** How many services are named in one question. All names of more of them would be too long for some proxies. */
const mostNames = 50

async function lookAt(
  client: Client,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ServiceWithTasks>> {
  const parts = Array.from({ length: Math.ceil(names.length / mostNames) }, (_, at) =>
    names.slice(at * mostNames, (at + 1) * mostNames),
  )
  const found = await Promise.all(parts.map(part => lookAtFew(client, part, signal)))
  return new Map(found.flat().map(looked => [looked.there.Spec.Name, looked]))
}

async function lookAtFew(
  client: Client,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly ServiceWithTasks[]> {
  const told = await servicesBy(client, { name: names }, signal)
  // A manager also finds services whose names begin so.
  const there = told.filter(({ Spec }) => names.includes(Spec.Name))
  const tasks = Map.groupBy(await tasksOf(client, there, signal), ({ ServiceID }) => ServiceID)
  return there.map(service => ({ there: service, tasks: tasks.get(service.ID) ?? [] }))
}

/** A manager refuses to tell of the tasks of several services as soon as one of them is gone. */
async function tasksOf(
  client: Client,
  services: readonly ToldService[],
  signal: AbortSignal,
): Promise<readonly Task[]> {
  if (services.length === 0) return []
  const known = await tasksOfAll(client, { service: services.map(({ ID }) => ID) }, signal)
  if (known !== undefined) return known
  const each = services.map(({ ID }) => tasksBy(client, { service: [ID] }, signal))
  return (await Promise.all(each)).flat()
}
