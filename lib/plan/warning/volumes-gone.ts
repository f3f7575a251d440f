import type { Problem } from '../../errors.ts'
import type { Change } from '../change/change.ts'
import type { SiteResources } from '../resources.ts'
import { stepsOf } from '../step/step.ts'

/**
 * Returns what is to be said of persistent volumes that are made anew for what ran on the site before. What is only
 * repaired had them, so their files are gone. What nothing is left of, and gets another specification, may have had
 * them. None if nobody may see which volumes there are. Pure.
 */
export function volumesGone(
  changes: readonly Change[],
  { volumesKept }: Pick<SiteResources, 'volumesKept'>,
): readonly Problem[] {
  if (volumesKept !== undefined) return []
  return changes.flatMap(change => {
    const words = wordsOf(change)
    return words === undefined
      ? []
      : stepsOf(change.prepare, 'create-volume').map(({ volume: { name, application } }) => ({
          code: 'volume-gone' as const,
          message: `${change.site}: volume ${name} of ${application} ${words}`,
        }))
  })
}

function wordsOf({ cause, action, held }: Change): string | undefined {
  if (held !== undefined) return undefined
  if (cause === 'drifted') return 'is gone, and is made anew without the files that it had'
  return cause === 'diverged' && action === 'create'
    ? 'is not there, and is made empty: if there was one, its files are gone'
    : undefined
}
