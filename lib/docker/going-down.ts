import { Failure } from '../errors.ts'
import type { Client } from './client.ts'
import { poll } from './poll.ts'

/** An engine that is being ended is gone within this time after the first thing that failed for it. */
const goesWithinMs = 1_000

/**
 * Whether the engine is being ended, or was away a short time ago: what fails then is no verdict on a release. Knocks
 * again and again, for one that is started again may be back within a second.
 */
export async function isGoingDown(client: Client, signal: AbortSignal): Promise<boolean> {
  if (client.wasAway()) return true
  const isGone = async () => ((await client.knock()) ? undefined : true)
  return (await poll(client.site, isGone, goesWithinMs, signal)) ?? false
}

/** What is told in place of such a verdict (`engine-unreachable`). */
export function goingDown({ site }: Client, resource: string): Failure {
  return new Failure(
    'engine-unreachable',
    `${site}: the Docker Engine went down, or was away until now, during the work on ${resource}`,
  )
}
