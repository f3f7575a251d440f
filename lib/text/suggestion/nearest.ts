import { lastPart } from '../last-part.ts'

/**
 * Returns the word of `known` that `word` was probably meant to be, also in another directory; undefined if none is
 * close.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > longest) return undefined
  const inDirectories = word.includes('/') ? known : known.filter(candidate => candidate.includes('/'))
  return closest(word, known, whole => whole) ?? closest(word, inDirectories, lastPart)
}

const longest = 64

function closest(
  word: string,
  known: readonly string[],
  partOf: (text: string) => string,
): string | undefined {
  const own = partOf(word).toLowerCase()
  let found: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const part = partOf(candidate).toLowerCase()
    const most = Math.min(Math.ceil(part.length / 3), (found?.distance ?? Number.POSITIVE_INFINITY) - 1)
    const distance = distanceOf(own, part, most)
    if (distance <= most) found = { candidate, distance }
  }
  return found?.candidate
}

/**
 * Returns how many characters have to be added, removed, replaced or swapped with the next one to turn one word into
 * the other. No character is changed twice. Infinity if they are more than `most`, which is soon known (G24).
 */
export function distanceOf(from: string, to: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(from.length - to.length) > most) return Number.POSITIVE_INFINITY
  const [source, target] = [codesOf(from), codesOf(to)]
  let [before, row, next] = [rowFor(target), rowFor(target), rowFor(target)]
  for (const [j] of row.entries()) row[j] = j
  for (let i = 0; i < source.length; i += 1) {
    const character = source[i]
    const previous = i === 0 ? undefined : source[i - 1]
    let [distance, least] = [i + 1, i + 1]
    next[0] = distance
    for (let j = 0; j < target.length; j += 1) {
      const isSwap = previous === target[j] && j > 0 && character === target[j - 1]
      const swapped = isSwap ? at(before, j - 1) + 1 : Number.POSITIVE_INFINITY
      const replaced = at(row, j) + (character === target[j] ? 0 : 1)
      distance = Math.min(distance + 1, at(row, j + 1) + 1, replaced, swapped)
      next[j + 1] = distance
      if (distance < least) least = distance
    }
    // A swap reaches back over one row, so that a row of more may be followed by one of as many.
    if (least > most + 1) return Number.POSITIVE_INFINITY
    ;[before, row, next] = [row, next, before]
  }
  return at(row, target.length)
}

function codesOf(text: string): Uint32Array {
  const codes = new Uint32Array(text.length)
  for (let index = 0; index < text.length; index += 1) codes[index] = text.charCodeAt(index)
  return codes
}

function rowFor(target: Uint32Array): Uint32Array {
  return new Uint32Array(target.length + 1)
}

function at(row: Uint32Array, index: number): number {
  return row[index] ?? 0
}
