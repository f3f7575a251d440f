import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import { type Change, keyOf } from '../../../plan/change/change.ts'
import type { World } from '../../world.ts'
import type { SiteMemory } from '../site-memory.ts'

/**
 * Returns how long the attempt that this change continues has lasted, in ms; 0 if it continues none. The time of day is
 * used once, for an attempt that an earlier process began. If the clock was set back since, the attempt begins now.
 */
export function elapsedMs(
  {
    world: { nowMs, steadyMs },
    memory,
  }: {
    readonly memory: Pick<SiteMemory, 'attempts'>
    readonly world: Pick<World, 'nowMs' | 'steadyMs'>
  },
  attempt: RecordedAttempt | undefined,
  change: Change,
): number {
  if (attempt?.release !== change.release || attempt.phase !== 'open') return 0
  const { release, begunAtMs = nowMs() } = attempt
  const sinceMs = memory.attempts.sinceMs(
    keyOf(change),
    { release, begunAtMs },
    () => steadyMs() - Math.max(0, nowMs() - begunAtMs),
  )
  return steadyMs() - sinceMs
}
