import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/**
 * Parses a size as Compose writes it (`64m`, `1.5gb`, `512 MiB`, `1024`). Returns bytes, rounded down; units are powers
 * of 1024. It is between 1 byte and 8 PiB (G24).
 */
export function parseBytes(size: string | number): Parsed<number> {
  const bytes = typeof size === 'number' ? size : bytesOf(size)
  if (bytes === undefined)
    return malformed(`"${String(size).slice(0, longest)}" is no size; write for example 512k, 64m or 1.5g`)
  const whole = Math.floor(bytes)
  return whole >= 1 && whole <= largest ? parsed(whole) : malformed(`${size} is not between 1 byte and 8 PiB`)
}

const longest = 40
const largest = 2 ** 53 - 1
const sizePattern = /^(\d+(?:\.\d+)?) ?([kmgtp]?)i?b?$/i

function bytesOf(text: string): number | undefined {
  const [, amount, unit = ''] = text.length > longest ? [] : (sizePattern.exec(text) ?? [])
  return amount === undefined
    ? undefined
    : Number(amount) * 1024 ** ' kmgtp'.indexOf(unit.toLowerCase() || ' ')
}
