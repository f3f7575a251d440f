import type { Client } from '../../docker/api/client.ts'
import { jobGraceMs } from '../../docker/job/job.ts'
import { poll } from '../../wait/poll.ts'
import { tasksBy } from '../api/tasks.ts'
import { lostNodes } from '../observe/nodes.ts'
import { hasTaskEnded } from '../observe/task/standing.ts'

/** How long its task may take to be gone after the time that it has to end by itself. */
const goneWithinMs = 60_000

/**
 * Waits until no task runs any more of a job that somebody removed: the Swarm tells of it by its name, and it may use its
 * grace period. Returns whether all have ended in time. One on a node that is lost counts for nothing, as everywhere.
 */
export async function hasRemovedJobEnded(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const ended = async () => {
    // A task is called after its service, whose name has no dot.
    const left = (await tasksBy(client, { name: [`${name}.`] }, signal)).filter(task => !hasTaskEnded(task))
    const isLost = await lostNodes(client, left, signal)
    return left.every(({ NodeID }) => isLost(NodeID)) ? true : undefined
  }
  return (await poll(`${client.site}: ${name}`, ended, jobGraceMs + goneWithinMs, signal)) ?? false
}
