import { versionBefore } from '../../fleet/before.ts'
import type { Release } from '../../journal/fleet/releases.ts'
import type { Journal } from '../../journal/journal.ts'

/** Returns the kept version that came before the present one, and that nobody went back from; undefined: there is none. */
export function releaseBefore(
  journal: Pick<Journal, 'releases' | 'versionEntries'>,
  environment: string,
  application: string,
  present: string,
): Release | undefined {
  const releases = journal.releases(environment, application)
  const isKept = (wanted: string) => releases.some(({ version }) => version === wanted)
  const before = versionBefore(journal.versionEntries(environment, application), present, isKept)
  return releases.find(({ version }) => version === before)
}
