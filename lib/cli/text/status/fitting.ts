import { withEllipsis } from '../../../text/bounded.ts'

/**
 * Returns the beginning of a text for the last column of a table. A command that it tells to run is there as a whole or
 * not at all. Lines above or below the table have all of it.
 */
export function fitting(text: string): string {
  const cut = withEllipsis(text, longest)
  return cut === text ? text : cut.replace(/;? "tallyman [^"]*…$/, ' …')
}

/** The words for a window fit, with the zone at their end, whatever its name is. */
const longest = 96
