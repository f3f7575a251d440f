import { keepUsed } from './keep-used.ts'

/**
 * Returns a function that takes a text and returns an equal one, which is the same text in memory for all who have it. It
 * remembers at most twice as many as `most`, those that were used last.
 */
export function keepText(most: number): (text: string) => string {
  const known = keepUsed<string, string>({ most, unusedMs: Number.POSITIVE_INFINITY })
  return text => {
    const there = known.get(text)
    if (there === undefined) known.set(text, text)
    return there ?? text
  }
}
