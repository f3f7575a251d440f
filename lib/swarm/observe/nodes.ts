import type { Client } from '../../docker/api/client.ts'
import type { NodeOfTasks } from '../../state/running/live.ts'
import { byText } from '../../text/order.ts'
import type { Task } from '../api/service.ts'

/** The part of `GET /nodes` that is used. */
type Node = {
  readonly ID: string
  readonly Spec?: { readonly Name?: string }
  readonly Description?: { readonly Hostname?: string }
  readonly Status?: { readonly State?: string }
}

/** The names of nodes by their ids. */
export type NodeNames = ReadonlyMap<string, string>

/**
 * Makes sure that the nodes of these tasks are known by name, and asks the manager only if one is not. One that it does
 * not know, because it left, is called by its id. So are all where we may not ask: a name is not worth a site.
 */
export async function knowNodes(
  client: Client,
  known: Map<string, string>,
  tasks: readonly Task[],
  signal: AbortSignal,
): Promise<void> {
  const ids = new Set(tasks.flatMap(({ NodeID }) => NodeID || []))
  if ([...ids].every(id => known.has(id))) return
  const answer = await client.call<readonly Node[]>({ method: 'GET', path: '/nodes' }, signal)
  for (const id of ids) if (!known.has(id)) known.set(id, id)
  for (const { ID, Spec, Description } of answer.ok ? answer.body : [])
    known.set(ID, Spec?.Name || Description?.Hostname || ID)
}

/** As many characters of an id as Docker takes for it. */
const shortId = 12

/**
 * Returns the nodes of tasks by their names, `node one` or `nodes one, two`, and by their ids too where several have that
 * name; an empty text if they have none yet. Asks the manager if one is not known.
 */
export async function nodesText(
  client: Client,
  known: Map<string, string>,
  tasks: readonly Task[],
  signal: AbortSignal,
): Promise<string> {
  await knowNodes(client, known, tasks, signal)
  const ids = [...new Set(tasks.flatMap(({ NodeID }) => NodeID || []))]
  const all = [...known.values()]
  const names = ids.map(id => {
    const name = known.get(id) ?? id
    const isOnly = all.filter(other => other === name).length < 2
    return isOnly ? name : `${name} ${id.slice(0, shortId)}`
  })
  return names.length === 0 ? '' : `${names.length === 1 ? 'node' : 'nodes'} ${names.join(', ')}`
}

/**
 * Returns whether the node of one of these tasks is lost: it is down, or has left the Swarm, so that nobody will say what
 * becomes of its tasks. Asks the manager if there are any. Where that does not tell, none is lost.
 */
export async function lostNodes(
  client: Client,
  tasks: readonly Task[],
  signal: AbortSignal,
): Promise<(id: string | undefined) => boolean> {
  const ids = [...new Set(tasks.flatMap(({ NodeID }) => NodeID || []))]
  if (ids.length === 0) return () => false
  const request = { method: 'GET', path: '/nodes', query: { filters: { id: ids } } } as const
  const answer = await client.call<readonly Node[]>(request, signal)
  const there = answer.ok ? answer.body.filter(({ Status }) => Status?.State !== 'down') : undefined
  const up = new Set(there === undefined ? ids : there.map(({ ID }) => ID))
  return id => id !== undefined && id !== '' && !up.has(id)
}

/** Whether a Swarm has one node only. Where we may not ask, it is taken for one of several. */
export async function hasOneNode(client: Client, signal: AbortSignal): Promise<boolean> {
  const answer = await client.call<readonly Node[]>({ method: 'GET', path: '/nodes' }, signal)
  return answer.ok && answer.body.length === 1
}

/** Returns each of these nodes once, with how often it is among them, in the order of their names. Pure. */
export function countNodes(ids: readonly string[], names: NodeNames): readonly NodeOfTasks[] {
  return [...Map.groupBy(ids, id => id)]
    .map(([id, all]) => ({ node: names.get(id) ?? id, id, running: all.length }))
    .sort(byText(({ node, id }) => `${node} ${id}`))
}
