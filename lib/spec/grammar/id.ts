import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses the number of a user or a group. It has 32 bits; the last number is excluded, because it means nobody. */
export function parseId(text: string): Parsed<number> {
  return /^\d{1,10}$/.test(text) && Number(text) < 2 ** 32 - 1
    ? parsed(Number(text))
    : malformed(`"${text}" is no number of a user or group; names are not looked up here`)
}
