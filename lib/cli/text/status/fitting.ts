import { withEllipsis } from '../../../text/bounded.ts'

/** Returns the beginning of a text for the last column of a table. Lines above or below the table have it whole. */
export function fitting(text: string): string {
  return withEllipsis(text, longest)
}

/** The words for a window fit, with the zone at their end, whatever its name is. */
const longest = 96
