/**
 * Returns what is wrong with a text that is handed to a program, as an argument, a variable, a label or the name of a
 * file; undefined if nothing is. A NUL ends the text there, so engines refuse it. Half of a surrogate pair has no bytes,
 * so the program would get another character. Everything else, such as line breaks, is handed over as it is written.
 */
export function foreignToPrograms(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character'
  return text.isWellFormed() ? undefined : 'holds half of a surrogate pair, which is no character'
}
