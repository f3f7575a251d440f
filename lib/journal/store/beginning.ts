/** Foreign texts can have any length; nobody reads more than this of one. */
const longest = 8_000

/** Returns the beginning of a text, with a note if something was cut off. */
export function beginningOf(text: string): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… (${text.length - longest} characters more)`
}
