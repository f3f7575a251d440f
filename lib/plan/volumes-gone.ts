import type { Problem } from '../errors.ts'
import type { Change } from './change/change.ts'
import type { SiteResources } from './resources.ts'
import { stepsOf } from './step/step.ts'

/**
 * Returns what is to be said of persistent volumes that a repair makes: what is repaired had them, so their files are
 * gone. None if nobody may see which volumes there are. Pure.
 */
export function volumesGone(
  changes: readonly Change[],
  { volumesKept }: Pick<SiteResources, 'volumesKept'>,
): readonly Problem[] {
  if (volumesKept !== undefined) return []
  return changes.flatMap(({ site, cause, prepare }) =>
    cause !== 'drifted'
      ? []
      : stepsOf(prepare, 'create-volume').map(({ volume: { name, application } }) => ({
          code: 'volume-gone' as const,
          message: `${site}: volume ${name} of ${application} is gone, and is made anew without the files that it had`,
        })),
  )
}
