import type { Quantity } from '../grammar/quantity.ts'

/** The bounds of the kernel. */
export const shareBounds = { least: 2, most: 262_144 } as const

/** The share of CPUs that a container gets, and why it is another one than was requested. */
export type Shares = { readonly shares: number; readonly why?: string }

/**
 * Returns the share of a request: of all CPUs that are wanted at the same time, each container gets its share. The
 * engine's usual one is that of one CPU.
 */
export function sharesOf({ thousandths }: Quantity): Shares {
  const { least, most } = shareBounds
  const shares = (thousandths * 1024n) / 1000n
  if (shares > BigInt(most)) return { shares: most, why: 'the largest share is that of 256 CPUs' }
  if (shares < BigInt(least)) return { shares: least, why: 'the smallest share is that of 2m CPUs' }
  return { shares: Number(shares) }
}
