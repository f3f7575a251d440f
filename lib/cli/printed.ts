import { styleText } from 'node:util'
import { type Line, type Part, partsOf } from '../plan/line.ts'
import { printable } from '../printable.ts'

/**
 * Lines as a terminal gets them, each with its newline: the only place where what is told becomes text, so that nothing
 * that strangers wrote can do more there than be read (G24).
 */
export function printed(lines: readonly Line[], color: boolean): string {
  return lines.map(line => `${printedLine(line, color)}\n`).join('')
}

/** One line without its newline. */
export function printedLine(line: Line, color: boolean): string {
  return partsOf(line)
    .map(part => printedPart(part, color))
    .join('')
}

function printedPart(part: Part, color: boolean): string {
  if (typeof part === 'string') return printable(part)
  const text = printable(part.text)
  return color ? styleText(part.style, text, { validateStream: false }) : text
}
