import { largestOf } from '../../numbers.ts'
import { type Line, partsOf } from '../../plan/text/line.ts'
import { printedLine } from './printed.ts'

/**
 * Returns a table. Each column is as wide as its widest cell, with two blanks between columns; the last one is not
 * padded.
 */
export function table(head: readonly string[], rows: readonly (readonly Line[])[]): readonly Line[] {
  const all = [head, ...rows]
  const widths = head.map((_, column) => largestOf(all, row => widthOf(row[column] ?? '')))
  return all.map(row => rowLine(row, widths))
}

function rowLine(cells: readonly Line[], widths: readonly number[]): Line {
  const filled = cells.findLastIndex(cell => widthOf(cell) > 0)
  return cells.slice(0, filled + 1).flatMap((cell, column) => {
    const padding = column === filled ? 0 : (widths[column] ?? 0) - widthOf(cell)
    return ['  ', ...partsOf(cell), ' '.repeat(padding)]
  })
}

/** The width of the printed text, in which an escape is longer than the character that it stands for. */
function widthOf(cell: Line): number {
  return printedLine(cell, false).length
}
