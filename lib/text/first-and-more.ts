/** Returns the first of these texts, and how many others there are: `a, b and 3 more`. */
export function firstAndMore(texts: readonly string[], most: number, between = ', '): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : ''
  return `${texts.slice(0, most).join(between)}${more}`
}
