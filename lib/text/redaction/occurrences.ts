/** A part of a text, from its first character to behind its last one. */
export type Range = { readonly from: number; readonly to: number }

/** Returns where sought texts are in a text. Of those that begin at one place, the longest suffices. */
export type Find = (text: string) => readonly Range[]

/** Returns a function that finds these texts. Empty ones are nowhere. */
export function finderOf(sought: readonly string[]): Find {
  const texts = [...new Set(sought)].filter(text => text !== '')
  return texts.length <= few ? text => texts.flatMap(one => rangesOf(text, one)) : finderOfMany(texts.sort())
}

/** It takes no longer to look for each of so many. */
const few = 32

function rangesOf(text: string, sought: string): readonly Range[] {
  const ranges: Range[] = []
  for (let from = text.indexOf(sought); from !== -1; from = text.indexOf(sought, from + 1))
    ranges.push({ from, to: from + sought.length })
  return ranges
}

/**
 * Looks up each place of a text in the sorted list. The texts that a place begins with all begin the last text of the list
 * that does not come after the place, if any does: whatever stands between them begins with them, too.
 */
function finderOfMany(sorted: readonly string[]): Find {
  const beginning = sorted.reduce((shortest, { length }) => Math.min(shortest, length), longestBeginning)
  const groups = groupsOf(sorted, beginning)
  const begins = beginningsOf(sorted)
  return text => {
    const ranges: Range[] = []
    for (let from = 0; from + beginning <= text.length; from += 1) {
      const group = groups.get(text.slice(from, from + beginning))
      if (group === undefined) continue
      const last = lastUpTo(sorted, group, text.slice(from))
      const length = last === undefined ? 0 : longestIn(sorted, begins, last, text, from)
      if (length > 0) ranges.push({ from, to: from + length })
    }
    return ranges
  }
}

/** Hardly a place of a text begins with as many characters of a sought one by chance. */
const longestBeginning = 4

/** Where texts with one beginning stand in the list: the first and the last of them. */
type Group = { readonly first: number; readonly last: number }

function groupsOf(sorted: readonly string[], beginning: number): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  for (const [index, text] of sorted.entries()) {
    const key = text.slice(0, beginning)
    groups.set(key, { first: groups.get(key)?.first ?? index, last: index })
  }
  return groups
}

/** Returns for each text of the list the longest other one that it begins with, or -1. */
function beginningsOf(sorted: readonly string[]): Int32Array {
  const begins = new Int32Array(sorted.length)
  for (const [index, text] of sorted.entries()) {
    let other = index - 1
    while (other !== -1 && !text.startsWith(sorted[other] ?? '')) other = begins[other] ?? -1
    begins[index] = other
  }
  return begins
}

function lastUpTo(sorted: readonly string[], { first, last }: Group, text: string): number | undefined {
  let [low, high] = [first - 1, last]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((sorted[middle] ?? '') <= text) low = middle
    else high = middle - 1
  }
  return low < first ? undefined : low
}

/** Returns the length of the longest text that begins a text of the list, or is that one, and that stands at a place. */
function longestIn(
  sorted: readonly string[],
  begins: Int32Array,
  last: number,
  text: string,
  from: number,
): number {
  const most = sorted[last] ?? ''
  let common = 0
  while (common < most.length && most.charCodeAt(common) === text.charCodeAt(from + common)) common += 1
  let at = last
  while (at !== -1 && (sorted[at]?.length ?? 0) > common) at = begins[at] ?? -1
  return at === -1 ? 0 : (sorted[at]?.length ?? 0)
}
