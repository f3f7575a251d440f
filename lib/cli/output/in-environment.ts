import { type Line, type Part, partsOf } from '../../plan/text/line.ts'

/** Commands that mean one environment, as lines and hints tell people to run them, up to their end. */
const asked =
  /\b(tallyman (?:resume|retry|redeploy|pause|abort|rollback|suspend|force-upgrade|delete-upgrade))\b([^":;]*)/g

/**
 * Returns lines about an environment beside which there are others: each command that they ask for names it, so that it
 * can be run as it is written (G13).
 */
export function inEnvironment(environment: string, lines: readonly Line[]): readonly Line[] {
  const named = (text: string) =>
    text.replace(asked, (whole, command: string, rest: string) =>
      rest.includes(' --environment') ? whole : `${command} --environment ${environment}${rest}`,
    )
  const namedIn = (part: Part): Part =>
    typeof part === 'string' ? named(part) : { ...part, text: named(part.text) }
  return lines.map(line => partsOf(line).map(namedIn))
}
