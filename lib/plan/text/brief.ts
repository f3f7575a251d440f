import { withEllipsis } from '../../text/bounded.ts'

/** Shortens digests as people compare them. The JSON forms contain them whole. */
export function brief(value: string): string {
  return value.replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]{52}/g, '$1')
}

/** Returns the beginning of a long text. `--verbose` and the JSON form contain it whole. */
export function shortened(text: string): string {
  return withEllipsis(text, longest)
}

const longest = 160

/** Nobody reads a longer list than this; the rest is counted. `--verbose` and the JSON form contain it whole. */
export const mostListed = 40

/** Returns the texts of a list, of which the first ones are shown. */
export function listed(texts: readonly string[], separator: string): string {
  const more = texts.length - mostListed
  const shown = texts.slice(0, mostListed).join(separator)
  return more > 0 ? `${shown}${separator}and ${more} more (--verbose shows them)` : shown
}
