/** Foreign texts can be of any length; nobody reads more than this of one. */
const longest = 8_000

/** The beginning of a text, with a mark where something was cut. */
export function bounded(text: string): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… (${text.length - longest} characters more)`
}
