import type { LiveInstance } from './instance.ts'
import { targetOf } from './target.ts'

/**
 * Since when an instance that is wanted runs: since before the change, or since an attempt at it that was
 * interrupted. Undo removes what an attempt made, and must not touch what ran before (G5).
 */
export type Since = 'before' | 'attempt' | 'unknown'

/** More combinations than are worth a look. */
const most = 1_000

/**
 * What was last applied tells: together with the surplus, those that ran before are exactly that. Interchangeable
 * instances are told apart by their order.
 */
export function sinceWhen(
  matched: readonly LiveInstance[],
  surplus: readonly LiveInstance[],
  applied: string | undefined,
): ReadonlyMap<LiveInstance, Since> {
  const before = ranBefore(matched, surplus, applied)
  return new Map(
    matched.map(live => [live, before === undefined ? 'unknown' : before.has(live) ? 'before' : 'attempt']),
  )
}

function ranBefore(
  matched: readonly LiveInstance[],
  surplus: readonly LiveInstance[],
  applied: string | undefined,
): ReadonlySet<LiveInstance> | undefined {
  if (applied === undefined) return undefined
  const kinds = [...Map.groupBy(matched, ({ fingerprint }) => fingerprint).values()]
  if (kinds.reduce((product, kind) => product * (kind.length + 1), 1) > most) return undefined
  const ours = choices(kinds).find(
    some => targetOf([...some, ...surplus].map(({ fingerprint }) => fingerprint)) === applied,
  )
  return ours === undefined ? undefined : new Set(ours)
}

/** Every way to take the first few of each kind. */
function choices(kinds: readonly (readonly LiveInstance[])[]): readonly (readonly LiveInstance[])[] {
  return kinds.reduce<readonly (readonly LiveInstance[])[]>(
    (sofar, kind) =>
      sofar.flatMap(some =>
        Array.from({ length: kind.length + 1 }, (_, count) => [...some, ...kind.slice(0, count)]),
      ),
    [[]],
  )
}
