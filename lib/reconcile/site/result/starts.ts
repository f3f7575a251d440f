import { isOfInstance } from '../../../state/running/job-container.ts'
import type { LiveState } from '../../../state/running/live.ts'
import { longestUptimeMs } from '../../../state/running/uptime.ts'

/**
 * Returns for some applications when the container of it that was started last was started, at the earliest, in ms since 1970.
 * It goes by how long the engine says that they have run, so that a clock that differs from ours makes no difference.
 */
export function startsOf(
  { live, atMs }: { readonly live: LiveState; readonly atMs: number },
  applications: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const starts = new Map<string, number>()
  for (const container of live.containers) {
    // What may end is started again by us, and not because it failed.
    if (!isOfInstance(container) || container.mayEnd === true) continue
    if (!applications.has(container.application)) continue
    const uptimeMs = longestUptimeMs(container.status)
    if (uptimeMs === undefined) continue
    const { application } = container
    starts.set(application, Math.max(atMs - uptimeMs, starts.get(application) ?? 0))
  }
  return starts
}
