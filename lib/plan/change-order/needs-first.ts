/**
 * Returns each value after those that it needs, and otherwise in the given order. A chain of thousands needs no deep
 * stack (G24). A circle is cut where it closes.
 */
export function needsFirst<One>(all: readonly One[], needs: (one: One) => Iterable<One>): readonly One[] {
  const begun = new Set<One>()
  const placed: One[] = []
  for (const start of all) {
    const path = [...begin(start)]
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { value, done } = last.left.next()
      if (done !== true) for (const next of begin(value)) path.push(next)
      else {
        placed.push(last.one)
        path.pop()
      }
    }
  }
  return placed

  function begin(one: One): readonly { readonly one: One; readonly left: Iterator<One> }[] {
    if (begun.has(one)) return []
    begun.add(one)
    return [{ one, left: needs(one)[Symbol.iterator]() }]
  }
}
