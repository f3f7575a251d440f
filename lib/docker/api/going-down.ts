import { Failure } from '../../errors.ts'
import { poll } from '../../wait/poll.ts'
import type { Client } from './client.ts'

/** An engine that is shutting down is gone within this time after the first call that failed because of it. */
const goesWithinMs = 1_000

/**
 * Whether the engine is shutting down, or was away a short time ago: a failure then says nothing about a release.
 * Knocks repeatedly, because an engine that is restarted may be back within a second. `container`: what failed; one that
 * was started after the engine was away has not failed because of that.
 */
export async function isGoingDown(client: Client, signal: AbortSignal, container?: string): Promise<boolean> {
  if (client.wasAway(container)) return true
  const isGone = async () => ((await client.knock()) ? undefined : true)
  return (await poll(client.site, isGone, goesWithinMs, signal)) ?? false
}

/**
 * Returns the failure that is reported instead (`engine-unreachable`).
 * @param how how what was worked on ended, which its release may be to blame for all the same
 */
export function goingDown({ site }: Client, resource: string, how?: string): Failure {
  const ended = how === undefined ? '' : ` (${how})`
  return new Failure(
    'engine-unreachable',
    `${site}: the Docker Engine went down, or was away until now, during the work on ${resource}${ended}`,
  )
}
