/** Shortens digests as people compare them. The JSON forms contain them whole. */
export function brief(value: string): string {
  return value.replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]{52}/g, '$1')
}

/** Returns the beginning of a long text. `--verbose` and the JSON form contain it whole. */
export function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

const longest = 160
