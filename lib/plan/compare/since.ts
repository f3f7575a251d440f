import type { LiveInstance } from './instance/instance.ts'
import { countIn } from './target/target.ts'

/**
 * Since when a desired instance exists: since before the change, or since an interrupted attempt at it. Undo removes
 * what an attempt made, and must not touch what ran before (G5).
 */
export type Since = 'before' | 'attempt' | 'unknown'

/**
 * Returns since when each instance exists. The applied target says how many of each kind ran before; an attempt made
 * the others. Interchangeable instances are distinguished by their order.
 */
export function sinceWhen(
  matched: readonly LiveInstance[],
  applied: string | undefined,
): ReadonlyMap<LiveInstance, Since> {
  const seen = new Map<string, number>()
  return new Map(
    matched.map(live => {
      if (applied === undefined) return [live, 'unknown']
      const earlier = seen.get(live.fingerprint) ?? 0
      seen.set(live.fingerprint, earlier + 1)
      return [live, earlier < countIn(applied, live.fingerprint) ? 'before' : 'attempt']
    }),
  )
}
