import { styleText } from 'node:util'

/** Colors for a terminal, or none. */
export type Painter = {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

export function paint(color: boolean): Painter {
  const style = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow') => (text: string) =>
    color ? styleText(format, text, { validateStream: false }) : text
  return {
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
  }
}
