import type { Problem } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { versionOf } from '../../state/application/version-of.ts'
import type { FailedVersion } from '../../state/fleet/failed-version.ts'
import { withoutSite } from '../../text/sites/without-site.ts'
import { timeText } from '../../text/time.ts'
import { type Change, keyOf } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'

/** Returns where a version of an application failed last; undefined: nowhere that anybody knows. */
export type LastFailure = (application: string, version: string) => FailedVersion | undefined

/**
 * Returns a warning for each application that gets a version which failed on a site before, here or elsewhere. What is held
 * for another reason than its turn does not come, and says why. Reads the same on all sites. Pure.
 */
export function failedBefore(
  changes: readonly Change[],
  differences: readonly Difference[],
  { applications }: Pick<DesiredState, 'applications'>,
  lastFailure: LastFailure,
): readonly Problem[] {
  const arriving = new Set(differences.filter(({ arrival }) => arrival !== undefined).map(keyOf))
  const names = new Set(
    changes
      .filter(change => change.held === undefined || change.held.isQueued === true)
      .filter(change => arriving.has(keyOf(change)))
      .map(({ application }) => application),
  )
  return applications.flatMap(one => {
    const version = names.has(one.name) ? versionOf(one) : ''
    const failed = version === '' ? undefined : lastFailure(one.name, version)
    if (failed === undefined) return []
    const { site, reason, atMs } = failed
    const [why = ''] = withoutSite(reason, site).split('\n')
    const message = `${one.name}: ${version} failed on ${site} at ${timeText(atMs)}: ${why}`
    return [{ code: 'version-failed-before' as const, message }]
  })
}
