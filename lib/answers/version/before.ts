import { versionBefore } from '../../fleet/before.ts'
import type { Release } from '../../journal/fleet/releases.ts'
import type { Journal } from '../../journal/journal.ts'

/**
 * Returns the kept version that came before the present one, that nobody went back from, and that has not only failed;
 * undefined: there is none.
 */
export function releaseBefore(
  journal: Pick<Journal, 'releases' | 'versionEntries'>,
  environment: string,
  application: string,
  present: string,
): Release | undefined {
  const releases = journal.releases(environment, application)
  const isUsable = (wanted: string) =>
    releases.some(({ version, hasOnlyFailed }) => version === wanted && hasOnlyFailed !== true)
  const before = versionBefore(journal.versionEntries(environment, application), present, isUsable)
  return releases.find(({ version }) => version === before)
}
