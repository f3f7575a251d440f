/** Quotes any text as one word of a shell, which changes nothing in single quotes. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
