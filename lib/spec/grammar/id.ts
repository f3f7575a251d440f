import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** The number of a user or a group: of 32 bits, without the last one, which means nobody. */
export function parseId(text: string): Parsed<number> {
  return /^\d{1,10}$/.test(text) && Number(text) < 2 ** 32 - 1
    ? parsed(Number(text))
    : malformed(`"${text}" is no number of a user or group; names are not looked up here`)
}
