import type { Failure } from '../errors.ts'

/**
 * Whether nobody answered who decides on a site: its engine, or the leader of the Swarm that it manages. What was asked
 * may have been done, and nothing is known of what is deployed (A34, D18).
 */
export function isUnreachable(failure: Failure | undefined): boolean {
  return failure?.code === 'engine-unreachable' || failure?.code === 'swarm-unavailable'
}
