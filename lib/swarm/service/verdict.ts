import type { ToldService } from '../api/service.ts'
import type { Standing } from '../observe/task/standing.ts'

/** `failing`: its tasks end again and again. `stopped`: the Swarm gave up its update. */
export type UpdateVerdict = 'passed' | 'waiting' | 'failing' | 'stopped'

type Judged = Pick<Standing, 'wanted' | 'running' | 'failed' | 'abandoned' | 'endsWithinMs'>

/** How many tasks that fail in the place of one mean that the next one would fail, too. */
const enough = 3

/**
 * Judges a service whose tasks are being made or replaced. The state of an update counts only while there is one: a
 * manager forgets it with each new specification. A rollback of the Swarm's own is a failure. What is waited for until it
 * has ended is waited for no longer than that may take: on a node that is down, nobody says that it ended. For a task that
 * it has given up on such a node, the Swarm would wait until the node is back. However many failed, while all run it is
 * waited for whether they stay. Pure.
 * @param for for how long all of its tasks have run
 */
export function verdictOn(
  update: ToldService['UpdateStatus'],
  { wanted, running, failed, abandoned, endsWithinMs }: Judged,
  { forMs, healthyMs }: { readonly forMs: number; readonly healthyMs: number },
): UpdateVerdict {
  const state = update?.State ?? ''
  if (state === 'paused' || state.startsWith('rollback')) return 'stopped'
  const isUpdating = state === 'updating'
  if (isUpdating && abandoned.length === 0) return 'waiting'
  if (running >= wanted && forMs >= Math.max(healthyMs, endsWithinMs)) return 'passed'
  if (isUpdating || running >= wanted) return 'waiting'
  return failed.length >= enough * Math.max(1, wanted) ? 'failing' : 'waiting'
}
