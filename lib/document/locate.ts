import type { Position } from '../errors.ts'

/**
 * Returns a function for line and column of offsets in a text. Both count from 1, columns in UTF-16 units as editors
 * do.
 */
export function locator(file: string, text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined
  return offset => {
    starts ??= lineStarts(text)
    const line = lineAt(starts, offset)
    return { file, line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
