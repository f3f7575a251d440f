/**
 * Returns the word of `known` that `word` was probably meant to be, also in another directory; undefined if none is
 * close.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > longest) return undefined
  return closest(word, known, whole => whole) ?? closest(word, known, nameOf)
}

const longest = 64

function closest(
  word: string,
  known: readonly string[],
  partOf: (text: string) => string,
): string | undefined {
  const ranked = known
    .map(candidate => ({ candidate, part: partOf(candidate).toLowerCase() }))
    .map(({ candidate, part }) => ({
      candidate,
      part,
      distance: distanceOf(partOf(word).toLowerCase(), part),
    }))
    .filter(({ part, distance }) => distance <= Math.ceil(part.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate
}

/** Returns what follows the last slash. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * Returns how many characters have to be added, removed, replaced or swapped with the next one to turn one word into
 * the other. No character is changed twice.
 */
export function distanceOf(from: string, to: string): number {
  const [source, target] = [[...from], [...to]]
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: target.length + 1 }, (_, length) => length)
  for (const [i, character] of source.entries()) {
    const next = [i + 1]
    for (const [j, other] of target.entries()) {
      const replaced = (row[j] ?? 0) + (character === other ? 0 : 1)
      const isSwap = i > 0 && j > 0 && character === target[j - 1] && source[i - 1] === other
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : replaced
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, replaced, swapped))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
