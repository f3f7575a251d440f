import { type Line, type Part, partsOf } from '../../plan/text/line.ts'
import type { Output } from './output.ts'

/** The commands that mean one environment, and are refused where there are several and none is named. */
export const ofOneEnvironment = [
  ...[
    'resume',
    'retry',
    'redeploy',
    'pause',
    'abort',
    'rollback',
    'suspend',
    'force-upgrade',
    'delete-upgrade',
  ],
  ...['drain', 'undrain', 'versions'],
] as const

/** Such a command, as lines and hints tell people to run it, up to its end. */
const asked = new RegExp(`\\b(tallyman (?:${ofOneEnvironment.join('|')}))(?![\\w-])([^":;]*)`, 'g')

/**
 * Returns lines about one of so many environments. If there are others, each command that they ask for names it, so that
 * it can be run as it is written (G13).
 */
export function inEnvironment(
  environment: string,
  environments: number,
  lines: readonly Line[],
): readonly Line[] {
  if (environments < 2) return lines
  return lines.map(line => namedIn(environment, line))
}

/**
 * Returns the output for what is said of one of so many environments. One that was never read has no name
 * yet, so that nobody can name it.
 */
export function outputOfOne(output: Output, name: string | undefined, environments: number): Output {
  return name === undefined || environments < 2 ? output : outputAbout(name, output)
}

/**
 * Returns an output of which each text for people is about one environment, which somebody named or which is one of
 * several: each command that it asks for names it, in results, notes and hints alike (G13). What others wrote stays as it
 * is.
 */
export function outputAbout(environment: string, output: Output): Output {
  return {
    ...output,
    text: lines => output.text(lines.map(line => namedIn(environment, line))),
    note: line => output.note(namedIn(environment, line)),
  }
}

function namedIn(environment: string, line: Line): Line {
  const named = (text: string) =>
    text.replace(asked, (whole, command: string, rest: string) =>
      rest.includes(' --environment') ? whole : `${command} --environment ${environment}${rest}`,
    )
  return partsOf(line).map((part: Part): Part => {
    if (typeof part === 'string') return named(part)
    return part.isForeign ? part : { ...part, text: named(part.text) }
  })
}
