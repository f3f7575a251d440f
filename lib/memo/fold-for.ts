/** What lists come to, each of which follows from the one before. */
export type Fold<Item, Value> = {
  /** Returns what a list comes to, and finds it out once. */
  of(list: readonly Item[]): Value
  /** Returns a list with more items after it. What it comes to follows from what the list alone does. */
  followed(list: readonly Item[], more: readonly Item[]): readonly Item[]
  /** Notes that a list comes to the same as another one. Returns it. */
  isAlike(list: readonly Item[], other: readonly Item[]): readonly Item[]
}

/**
 * Returns what remembers what lists come to that never change, and forgets it together with them. Of a list that grows by
 * a few items at a time, all of them need not be gone through each time.
 * @param none returns what an empty list comes to
 * @param next returns what a list comes to that has more items after one that comes to `value`, which it does not change
 */
export function foldFor<Item, Value>(
  none: () => Value,
  next: (value: Value, more: readonly Item[]) => Value,
): Fold<Item, Value> {
  const known = new WeakMap<readonly Item[], Value>()
  const remembered = (list: readonly Item[], value: Value) => {
    known.set(list, value)
    return value
  }
  const of = (list: readonly Item[]) => known.get(list) ?? remembered(list, next(none(), list))
  return {
    of,
    followed(list, more) {
      const all = [...list, ...more]
      remembered(all, next(of(list), more))
      return all
    },
    isAlike(list, other) {
      remembered(list, of(other))
      return list
    },
  }
}
