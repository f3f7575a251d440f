import { type Line, type Part, partsOf } from '../../plan/text/line.ts'

/** Commands that mean one environment, as lines and hints tell people to run them, up to their end. */
const asked =
  /\b(tallyman (?:resume|retry|redeploy|pause|abort|rollback|suspend|force-upgrade|delete-upgrade))\b([^":;]*)/g

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
  const named = (text: string) =>
    text.replace(asked, (whole, command: string, rest: string) =>
      rest.includes(' --environment') ? whole : `${command} --environment ${environment}${rest}`,
    )
  const namedIn = (part: Part): Part =>
    typeof part === 'string' ? named(part) : { ...part, text: named(part.text) }
  return lines.map(line => partsOf(line).map(namedIn))
}
