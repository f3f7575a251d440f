/** Orders texts by their UTF-16 units, which is the same on every machine. Equal texts keep their order. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Returns an order of values by a text of each. */
export function byText<T>(textOf: (value: T) => string): (a: T, b: T) => number {
  return (a, b) => compareText(textOf(a), textOf(b))
}
