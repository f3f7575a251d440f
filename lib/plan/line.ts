/**
 * One line for people. It may be made of anything, also of what strangers wrote: the edge that prints lines sees to it
 * that each stays one line and acts on nothing (G24), so that who makes one has nothing to think of.
 */
export type Line = Part | readonly Part[]

/** Some words of a line; their style shows on a terminal only. */
export type Part = string | Styled

export type Styled = { readonly style: Style; readonly text: string }

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

export function styled(style: Style, text: string): Styled {
  return { style, text }
}

export function partsOf(line: Line): readonly Part[] {
  return isPart(line) ? [line] : line
}

function isPart(line: Line): line is Part {
  return typeof line === 'string' || 'style' in line
}

/** The line further to the right. */
export function indented(by: number, line: Line): Line {
  return [' '.repeat(by), ...partsOf(line)]
}

/** Blocks of lines with an empty line between two of them; what has no lines is no block. */
export function blocks(...of: readonly (readonly Line[])[]): readonly Line[] {
  return of.filter(lines => lines.length > 0).flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
}
