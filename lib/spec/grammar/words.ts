import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/**
 * Splits a command line into words with the quoting rules of a shell: blanks separate, single quotes keep everything,
 * double quotes keep all but `\"`, `\\`, `\$` and a backslash before a backquote, and a backslash keeps the next
 * character. Expands nothing.
 */
export function splitWords(line: string): Parsed<readonly string[]> {
  const words: string[] = []
  let word: string | undefined
  for (const piece of line.match(pieces) ?? []) {
    const fault = unfinished.get(piece)
    if (fault !== undefined) return malformed(`has ${fault}`)
    if (piece.trim() !== '') word = (word ?? '') + meaning(piece)
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return parsed(word === undefined ? words : [...words, word])
}

/** Blanks, plain text, quoted text, an escaped character, and whatever none of them matches: an open quote. */
const pieces = /\s+|[^\s'"\\]+|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|['"\\]/g

const unfinished: ReadonlyMap<string, string> = new Map([
  ["'", 'a single quote that is never closed'],
  ['"', 'a double quote that is never closed'],
  ['\\', 'a backslash at its end'],
])

function meaning(piece: string): string {
  switch (piece.charAt(0)) {
    case "'":
      return piece.slice(1, -1)
    case '"':
      return piece.slice(1, -1).replace(/\\(["\\$`])/g, '$1')
    case '\\':
      return piece.slice(1)
  }
  return piece
}
