import { type Problem, upTo } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Specification } from '../../spec/specification/specification.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import { guessing } from '../../text/suggestion/guess.ts'
import type { Overlay } from './overlay.ts'

/** What an environment runs, whatever its sites say. */
type Environment = {
  readonly entries: readonly ServiceEntry[]
  readonly specifications: ReadonlyMap<string, Specification>
}

/** Whether a key that names nothing may be its author's own. */
export function isNote(name: string): boolean {
  return name.startsWith('x-')
}

/** Returns what the site changes and nobody else has. Whatever was meant may be anything. */
export function unmatchedIn(
  { services, specifications: own, variables }: Overlay,
  { entries, specifications }: Environment,
): readonly Problem[] {
  const names = new Set(entries.map(({ name }) => name))
  const guess = guessing(() => [...names])
  const problemOf = (what: string, name: string, position: Problem['position']): Problem => {
    const message = `${what} "${name}" does not run in the environment${guess(name)}`
    return { code: 'overlay-unmatched', message, ...(position === undefined ? {} : { position }) }
  }
  const unmatched = [
    ...services
      .filter(({ name }) => !names.has(name))
      .map(({ name, position }) => problemOf('the service', name, position)),
    ...[...own]
      .filter(([name]) => !names.has(name))
      .map(([name, { file }]) => problemOf('the application', name, { file })),
    ...[...variables]
      .filter(([name]) => !names.has(name) && !isNote(name))
      .map(([name, { position }]) => problemOf('the application', name, position)),
    ...[...variables]
      .filter(([name]) => names.has(name) && !own.has(name) && !specifications.has(name))
      .map(([name, { position }]): Problem => {
        const message = `the service "${name}" has no specification, and so it has no variables`
        return { code: 'overlay-unmatched', message, position }
      }),
  ]
  return upTo(unmatched, limits.problemsOfFile)
}
