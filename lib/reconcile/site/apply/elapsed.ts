import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import { type Change, keyOf } from '../../../plan/change/change.ts'
import type { BegunJob } from '../../../plan/compare/past.ts'
import type { World } from '../../world.ts'
import type { SiteMemory } from '../site-memory.ts'

/** What tells how long something has lasted. */
export type Clocks = {
  readonly memory: Pick<SiteMemory, 'attempts'>
  readonly world: Pick<World, 'nowMs' | 'steadyMs'>
}

/**
 * Returns how long the attempt that this change continues has lasted, in ms, without the time for which it waited for what
 * is no part of it; 0 if it continues none.
 */
export function elapsedMs(site: Clocks, attempt: RecordedAttempt | undefined, change: Change): number {
  if (attempt?.release !== change.release || attempt.phase !== 'open') return 0
  const nowMs = site.world.nowMs()
  const { release, begunAtMs = nowMs, waitedMs = 0, waitsSinceMs = nowMs } = attempt
  const waitMs = waitedMs + Math.max(0, nowMs - waitsSinceMs)
  return sinceBegunMs(site, keyOf(change), { release, begunAtMs }, waitMs)
}

/** Returns how long a job of a change has lasted, with all its tries and what came between them, in ms (H4). */
export function lastedMs(
  site: Clocks,
  change: Change,
  { name, begunAtMs }: Pick<BegunJob, 'name' | 'begunAtMs'>,
): number {
  return sinceBegunMs(site, `${keyOf(change)} job`, { release: name, begunAtMs }, 0)
}

/**
 * The time of day is used once, for what an earlier process began. If the clock was set back since, that begins now.
 */
function sinceBegunMs(
  { world: { nowMs, steadyMs }, memory }: Clocks,
  key: string,
  begun: { readonly release: string; readonly begunAtMs: number },
  waitedMs: number,
): number {
  const unknown = () => steadyMs() - Math.max(0, nowMs() - begun.begunAtMs - waitedMs)
  return steadyMs() - memory.attempts.sinceMs(key, begun, unknown)
}
