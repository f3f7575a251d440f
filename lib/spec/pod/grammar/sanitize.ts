/** Returns the identifier of the specification that is nearest to a text; undefined if nothing of it fits in one. */
export function sanitizedIdentifier(text: string): string | undefined {
  return sanitized(text, /[^a-z0-9\-._~/]/g)
}

/** Returns the name of the specification that is nearest to a text; undefined if nothing of it fits in one. */
export function sanitizedName(text: string): string | undefined {
  return sanitized(text, /[^a-z0-9-]/g)
}

/** What fits nowhere becomes a dash, and not at the ends. */
function sanitized(text: string, foreign: RegExp): string | undefined {
  const plain = text.toLowerCase().replace(foreign, '-')
  const [first = -1, last = -1] = [plain.search(/[a-z0-9]/), plain.search(/[a-z0-9][^a-z0-9]*$/)]
  return first < 0 ? undefined : plain.slice(first, last + 1)
}
