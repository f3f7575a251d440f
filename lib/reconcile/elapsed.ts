import type { RecordedAttempt } from '../journal/attempts.ts'
import { type Change, keyOf } from '../plan/change/change.ts'
import type { SiteWorld } from './site.ts'
import type { World } from './world.ts'

/**
 * Returns how long the attempt that this change continues has lasted, in ms; 0 if it continues none. The time of day is
 * used once, for an attempt that an earlier process began. If the clock was set back since, the attempt begins now.
 */
export function elapsedMs(
  {
    world: { nowMs, steadyMs },
    memory,
  }: Pick<SiteWorld, 'memory'> & { readonly world: Pick<World, 'nowMs' | 'steadyMs'> },
  attempt: RecordedAttempt | undefined,
  change: Change,
): number {
  if (attempt?.release !== change.release || attempt.phase !== 'open') return 0
  const { release, begunAtMs = nowMs() } = attempt
  memory.attempts ??= new Map()
  const known = memory.attempts.get(keyOf(change))
  const isKnown = known?.release === release && known.begunAtMs === begunAtMs
  const sinceMs = isKnown ? known.sinceMs : steadyMs() - Math.max(0, nowMs() - begunAtMs)
  memory.attempts.set(keyOf(change), { release, begunAtMs, sinceMs })
  return steadyMs() - sinceMs
}
