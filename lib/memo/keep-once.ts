/**
 * Returns a function that takes a value and returns one that says the same, which is the same object for all of them. So
 * what many containers have alike is kept once. It is forgotten with the last of them. Values never change, and are such
 * as JSON can say.
 */
export function keepOnce<Value extends object>(): (value: Value) => Value {
  const known = new Map<string, WeakRef<Value>>()
  const forgotten = new FinalizationRegistry<string>(text => {
    if (known.get(text)?.deref() === undefined) known.delete(text)
  })
  return value => {
    const text = JSON.stringify(value)
    const there = known.get(text)?.deref()
    if (there !== undefined) return there
    known.set(text, new WeakRef(value))
    forgotten.register(value, text)
    return value
  }
}
