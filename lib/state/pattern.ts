import { RE2JS } from 're2js'
import { limits } from '../limits.ts'
import type { Parsed } from './parsed.ts'
import { malformed, parsed } from './parsed.ts'
import { patternParts } from './pattern-parts.ts'

/** A regular expression for foreign text. */
export type Pattern = { matches(text: string): boolean }

/**
 * Parses a regular expression in RE2's grammar, which is Perl's without lookaround and back references. The time to
 * match is proportional to the length of the text, whatever the expression, and what it is compiled to is bounded before
 * that is done (G24). It matches anywhere in a text unless it is anchored (A42).
 */
export function parsePattern(text: string): Parsed<Pattern> {
  if (text.length > longestPattern)
    return malformed(`is a regular expression of more than ${longestPattern} characters`)
  if (patternParts(text) > limits.patternParts)
    return malformed(
      `is a regular expression of more than ${limits.patternParts} parts once its repetitions, such as {0,100}, are written out; repeat less`,
    )
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
