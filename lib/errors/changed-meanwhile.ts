import type { Failure } from '../errors.ts'

/** For how long after a change was begun somebody who changes the same at the same time is made way for, in ms. */
const patienceMs = 10 * 60_000

/**
 * Whether somebody else changed on a Swarm what a change was about, which says nothing about the release: what is there
 * now is looked at, and the change goes on from there (D18). It is a failure like any other once the change was begun
 * long ago, so that two who fight for a service come to an end.
 * @param elapsedMs how long the change had lasted before this pass
 */
export function isOvertaken({ code }: Failure, elapsedMs: number): boolean {
  return code === 'service-changed' && elapsedMs < patienceMs
}
