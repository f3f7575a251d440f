import { steadyMs } from '../clock.ts'

/** What is remembered as long as somebody uses it. Losing it costs only time. */
export type KeptWhileUsed<Key, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  /** How much is remembered. */
  count(): number
  /** To be called now and then, also while nothing is used: forgets what nobody used for a while. */
  age(): void
}

/** `most`: it never remembers more than twice as much. `unusedMs`: after this time, or twice as long, it forgets. */
export type KeepUsedLimits = { readonly most: number; readonly unusedMs: number }

/**
 * Creates a memory that is empty. What was used since it grew old last is kept when it grows old again, however long that
 * takes: who needs the same things each time never loses them.
 */
export function keepUsed<Key, Value>(
  { most, unusedMs }: KeepUsedLimits,
  clockMs: () => number = steadyMs,
): KeptWhileUsed<Key, Value> {
  // There is one for each of thousands of sites, and most are empty.
  let used: Map<Key, Value> | undefined
  let before: Map<Key, Value> | undefined
  let sinceMs = clockMs()
  const growOld = () => {
    before = used
    used = undefined
    sinceMs = clockMs()
  }
  const set = (key: Key, value: Value) => {
    if (used !== undefined && used.size >= most && !used.has(key)) growOld()
    before?.delete(key)
    used ??= new Map()
    used.set(key, value)
  }
  return {
    get(key) {
      const there = used?.get(key)
      if (there !== undefined) return there
      const known = before?.get(key)
      if (known !== undefined) set(key, known)
      return known
    },
    set,
    count: () => (used?.size ?? 0) + (before?.size ?? 0),
    age() {
      if (clockMs() - sinceMs >= unusedMs) growOld()
    },
  }
}
