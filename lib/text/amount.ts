/** An amount in a unit, of which it is a whole number. */
type Amount = { readonly count: bigint; readonly suffix: string }

const suffixes = ['K', 'M', 'G', 'T', 'P', 'E']

/** Largest first. Of two that make texts of one length, the power of two is the one that people mean. */
const units: readonly { readonly suffix: string; readonly size: bigint }[] = [
  ...suffixes.map((suffix, index) => ({ suffix: `${suffix}i`, size: 1024n ** BigInt(index + 1) })).reverse(),
  ...suffixes
    .map((suffix, index) => ({ suffix: suffix.replace('K', 'k'), size: 1000n ** BigInt(index + 1) }))
    .reverse(),
]

/** Returns an amount, without a loss, in the unit with the shortest number: `64` `Mi`, `1` `G`, `1000001` and none. */
export function inLargestUnit(amount: bigint): Amount {
  const whole = amount === 0n ? [] : units.filter(({ size }) => amount % size === 0n)
  const [shortest = { count: amount, suffix: '' }] = whole
    .map(({ suffix, size }) => ({ count: amount / size, suffix }))
    .sort((one, other) => String(one.count).length - String(other.count).length)
  return shortest
}

/** Returns bytes for people, without a loss: `64 MiB`, `1 GB`, `1000001 bytes`. */
export function bytesText(bytes: number): string {
  const { count, suffix } = inLargestUnit(BigInt(bytes))
  return `${count} ${suffix !== '' ? `${suffix}B` : count === 1n ? 'byte' : 'bytes'}`
}
