/** How many bits of the address belong to a gate's subnet: 64 addresses, for 60 instances. */
const ownBits = 6

/**
 * Yields the subnets of a pool that a gate may have, `10.201.0.64/26` and so on, in order: those that overlap none of
 * the `taken` ones. IPv4 only; other taken subnets do not matter.
 */
export function* freeSubnets(pool: string, taken: readonly string[]): Generator<string> {
  const whole = rangeOf(pool)
  if (whole === undefined) return
  const ranges = taken.flatMap(subnet => rangeOf(subnet) ?? [])
  const size = 2 ** ownBits
  for (let first = whole.first; first + size - 1 <= whole.last; first += size) {
    const last = first + size - 1
    if (ranges.every(range => range.last < first || last < range.first))
      yield `${textOf(first)}/${32 - ownBits}`
  }
}

/** The first and the last address, as numbers. */
type Range = { readonly first: number; readonly last: number }

function rangeOf(subnet: string): Range | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(subnet)?.slice(1).map(Number)
  if (parts === undefined) return undefined
  const [a = 0, b = 0, c = 0, d = 0, prefix = 32] = parts
  const size = 2 ** (32 - prefix)
  const address = ((a * 256 + b) * 256 + c) * 256 + d
  const first = address - (address % size)
  return { first, last: first + size - 1 }
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map(bits => Math.floor(address / 2 ** bits) % 256).join('.')
}
