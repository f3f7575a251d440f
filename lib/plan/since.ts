import type { LiveInstance } from './instance.ts'
import { countIn } from './target.ts'

/**
 * Since when an instance that is wanted runs: since before the change, or since an attempt at it that was
 * interrupted. Undo removes what an attempt made, and must not touch what ran before (G5).
 */
export type Since = 'before' | 'attempt' | 'unknown'

/**
 * What was last applied says how many of each kind ran before; the others an attempt made. Interchangeable
 * instances are told apart by their order.
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
