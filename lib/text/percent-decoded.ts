/** Returns a text without its percent-encoding; undefined if that is invalid. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
