import { RE2JS } from 're2js'
import type { Parsed } from './parsed.ts'
import { malformed, parsed } from './parsed.ts'

/** A regular expression for foreign text. */
export type Pattern = { matches(text: string): boolean }

/**
 * Parses a regular expression in RE2's grammar, which is Perl's without lookaround and back references. The time to
 * match is proportional to the length of the text, whatever the expression (G24). It matches anywhere in a text unless
 * it is anchored (A42).
 */
export function parsePattern(text: string): Parsed<Pattern> {
  if (text.length > longestPattern)
    return malformed(`is a regular expression of more than ${longestPattern} characters`)
  try {
    const compiled = RE2JS.compile(text)
    return parsed({ matches: other => compiled.matcher(other).find() })
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    return malformed(`is no regular expression of RE2: ${reason}`)
  }
}

const longestPattern = 256
