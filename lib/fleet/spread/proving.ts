import type { BatchDrawn } from '../../state/fleet/run.ts'
import type { Proof } from './facts/evidence.ts'
import type { Spread } from './spread.ts'

/**
 * Returns the time in which a batch proves the version: from the last of its sites that is healthy. `word`: a person
 * says so. Undefined if nothing is left to prove: no site of the batch is known to be healthy, or a person said to go on.
 */
export function provingOf(
  { healthyMs, canary }: Spread,
  { isCanary }: BatchDrawn,
  proofs: readonly (readonly [site: string, proof: Proof])[],
): { readonly sinceMs: number; readonly untilMs: number } | 'word' | undefined {
  const healthy = proofs.flatMap(([, { sinceMs, broken }]) => (broken === undefined ? [sinceMs] : []))
  if (healthy.length === 0) return undefined
  const sinceMs = latest(healthy)
  const neededMs = isCanary === true && canary !== undefined ? canary.healthyMs : healthyMs
  return neededMs === 'word' ? 'word' : { sinceMs, untilMs: sinceMs + neededMs }
}

/** Returns the last of these times; 0 if there is none. */
export function latest(times: readonly number[]): number {
  return times.reduce((most, time) => Math.max(most, time), 0)
}
