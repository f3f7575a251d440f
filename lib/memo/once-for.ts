/**
 * Returns a function that computes once what follows from a value that never changes, and forgets it together with the
 * value. What is wanted is compared with each site, and what follows from it alone is the same for all of them.
 */
export function onceFor<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>()
  return key => {
    const there = known.get(key)
    if (there !== undefined) return there.value
    const value = compute(key)
    known.set(key, { value })
    return value
  }
}
