/** With digests as short as people compare them; the JSON forms have them whole. */
export function brief(value: string): string {
  return value.replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]{52}/g, '$1')
}

/** Of a long text its beginning; `--verbose` and the JSON form have it whole. */
export function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

const longest = 160
