import type { Parsed } from '../../../state/parsed.ts'
import { malformed, parsed } from '../../../state/parsed.ts'
import { inLargestUnit } from '../../../text/amount.ts'

/** An amount of something. Both numbers are rounded up, and are at most `largest`. */
export type Quantity = {
  /** In units: bytes, CPUs, operations. */
  readonly whole: bigint
  /** In thousandths of a unit. */
  readonly thousandths: bigint
  /** For people: `64Mi`. */
  readonly written: string
}

/** The largest amount: that of a signed number of 64 bits. */
export const largest = 2n ** 63n - 1n

/**
 * Parses an amount as isolators write it: a decimal number, and a suffix of powers of ten (`500m`, `4G`), of powers of
 * two (`2Gi`), or an exponent (`1E6`). It is computed exactly (C41).
 */
export function parseQuantity(text: string): Parsed<Quantity> {
  const [whole, sign = '', digits = '', decimals = '', suffix = ''] =
    text.length > longest ? [] : (pattern.exec(text) ?? [])
  if (whole === undefined || `${digits}${decimals}${suffix}` === '')
    return malformed(`"${text.slice(0, longest)}" is no quantity; write for example 500m, 1G or 64Mi`)
  const { factor, power } = scaleOf(suffix)
  const number = BigInt(`${digits}${decimals}` || '0') * factor
  const tens = power - decimals.length
  const signed = (value: bigint) => (sign === '-' ? -value : value)
  return parsed({
    whole: signed(scaled(number, tens)),
    thousandths: signed(scaled(number, tens + 3)),
    written: text,
  })
}

/** Returns thousandths of a unit in the shortest way in which quantities are written: `65Mi`, `1G`, `1600m`. */
export function quantityText(thousandths: bigint): string {
  if (thousandths % 1000n !== 0n) return `${thousandths}m`
  const { count, suffix } = inLargestUnit(thousandths / 1000n)
  return `${count}${suffix}`
}

const longest = 64
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?([numkKMGTPE]?|[KMGTPE]i|[eE][+-]?\d+)$/

/** Beyond that, every number but 0 is the largest, or less than one. */
const mostTens = 200

const powersOfTen: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  K: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}

function scaleOf(suffix: string): { readonly factor: bigint; readonly power: number } {
  const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].indexOf(suffix)
  if (binary >= 0) return { factor: 1024n ** BigInt(binary + 1), power: 0 }
  const power = powersOfTen[suffix] ?? Number(suffix.slice(1))
  return { factor: 1n, power: Math.max(-mostTens, Math.min(mostTens, power)) }
}

/** Returns a number times a power of ten, rounded up. */
function scaled(number: bigint, tens: number): bigint {
  const divisor = 10n ** BigInt(Math.max(0, -tens))
  const product = number * 10n ** BigInt(Math.max(0, tens))
  const up = (product + divisor - 1n) / divisor
  return up > largest ? largest : up
}
