/** Random choices that are the same for the same seed. */
export type Random = {
  /** A whole number from 0 to below the limit. */
  below(limit: number): number
  /** One of a list that is not empty. */
  of<T>(list: readonly T[]): T
}

/** Mulberry32: small, and good enough for choices. */
export function chance(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    of(list) {
      const one = list[below(list.length)]
      if (one === undefined) throw new RangeError('nothing to choose from')
      return one
    },
  }
}
