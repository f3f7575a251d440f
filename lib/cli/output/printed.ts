import { styleText } from 'node:util'
import { type Line, type Part, partsOf } from '../../plan/text/line.ts'
import { printable } from '../../text/printable.ts'

/**
 * Returns lines as a terminal gets them, each with its newline. This is the only place where output becomes text, so
 * that foreign text in it can only be read (G24).
 */
export function printed(lines: readonly Line[], color: boolean): string {
  return lines.map(line => `${printedLine(line, color)}\n`).join('')
}

/** Returns one line without its newline. */
export function printedLine(line: Line, color: boolean): string {
  return partsOf(line)
    .map(part => printedPart(part, color))
    .join('')
}

function printedPart(part: Part, color: boolean): string {
  if (typeof part === 'string') return printable(part)
  const text = printable(part.text)
  return color && part.style !== undefined ? styleText(part.style, text, { validateStream: false }) : text
}
