import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../../../docker/api/client.ts'
import type { TasksNow } from '../../../state/pass/tasks-now.ts'
import type { Task } from '../../api/service.ts'
import type { ServiceWithTasks } from '../joint-looks.ts'
import { countNodes, knowNodes } from '../nodes.ts'
import type { KnownSwarm } from '../observe.ts'
import type { Standing } from './standing.ts'

/** Tells how the tasks of a service are, each time that they are otherwise than before. */
export type TellTasks = (looked: ServiceWithTasks, standing: Standing, signal: AbortSignal) => Promise<void>

/**
 * Returns what tells `seen` of the tasks that run and are not being stopped. It asks the manager for nothing but the names
 * of its nodes, if one that is not known yet runs a task.
 */
export function tasksTeller(
  { client, known }: { readonly client: Client; readonly known: Pick<KnownSwarm, 'nodes'> },
  seen: (now: TasksNow) => void,
): TellTasks {
  let last: TasksNow | undefined
  return async ({ there, tasks }, { wanted, running, kept }, signal) => {
    const { ContainerSpec: specified } = there.Spec.TaskTemplate
    const goOn = tasks.filter(
      ({ ServiceID, DesiredState, Status }) =>
        ServiceID === there.ID && DesiredState === 'running' && Status.State === 'running',
    )
    await knowNodes(client, known.nodes, goOn, signal)
    const isEarlier = ({ Spec }: Task) => !isDeepStrictEqual(Spec.ContainerSpec, specified)
    const now = {
      wanted,
      running: running - kept.length,
      earlier: goOn.filter(isEarlier).length,
      nodes: countNodes(
        goOn.flatMap(({ NodeID }) => NodeID || []),
        known.nodes,
      ),
    }
    if (isDeepStrictEqual(now, last)) return
    last = now
    seen(now)
  }
}
