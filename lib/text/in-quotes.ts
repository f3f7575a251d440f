/** Returns a foreign text in quotes, in which a quote of its own cannot be taken for their end. */
export function inQuotes(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
