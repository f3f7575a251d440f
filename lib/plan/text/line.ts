/**
 * One line for people. It may contain anything, also foreign text: the code that prints lines makes each a single
 * harmless line (G24), so that callers need not care.
 */
export type Line = Part | readonly Part[]

/** Some words of a line. Their style shows only on a terminal. */
export type Part = string | Styled

export type Styled = {
  /** Absent: the usual one. */
  readonly style?: Style
  readonly text: string
  /** Others wrote it, and nothing in it is a proposal of ours. */
  readonly isForeign?: true
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta' | 'blue'

/** Returns words in a style. */
export function styled(style: Style, text: string): Styled {
  return { style, text }
}

/** Returns words that others wrote, which come out as they are (H7). */
export function foreign(text: string, style?: Style): Styled {
  return { ...(style === undefined ? {} : { style }), text, isForeign: true }
}

/** Returns the parts of a line. */
export function partsOf(line: Line): readonly Part[] {
  return isPart(line) ? [line] : line
}

function isPart(line: Line): line is Part {
  return typeof line === 'string' || 'text' in line
}

/** Moves a line to the right. */
export function indented(by: number, line: Line): Line {
  return [' '.repeat(by), ...partsOf(line)]
}

/** Joins blocks of lines with an empty line between two of them. A block without lines is left out. */
export function blocks(...of: readonly (readonly Line[])[]): readonly Line[] {
  return of.filter(lines => lines.length > 0).flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
}
