import type { Client } from '../../docker/api/client.ts'
import type { NodeOfTasks } from '../../state/running/live.ts'
import { byText } from '../../text/order.ts'
import type { Task } from '../api/service.ts'

/** The part of `GET /nodes` that is used. */
type Node = {
  readonly ID: string
  readonly Spec?: { readonly Name?: string }
  readonly Description?: { readonly Hostname?: string }
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

/** Returns each of these nodes once, with how often it is among them, in the order of their names. Pure. */
export function countNodes(ids: readonly string[], names: NodeNames): readonly NodeOfTasks[] {
  return [...Map.groupBy(ids, id => id)]
    .map(([id, all]) => ({ node: names.get(id) ?? id, id, running: all.length }))
    .sort(byText(({ node, id }) => `${node} ${id}`))
}
