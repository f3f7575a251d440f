import { endedAmong } from '../../fleet/spread/ended.ts'
import { leftAmong } from '../../fleet/version-before.ts'
import type { KeptVersion } from '../../journal/fleet/kept-versions.ts'
import type { Journal } from '../../journal/journal.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import { runningOf } from './closed-windows.ts'

/** A kept version as a person chooses among them. */
export type OfferedVersion = {
  readonly version: string
  /** What speaks against it, and where it runs; empty: nothing is known of it. */
  readonly marks: readonly string[]
  /** It is the present one, it or its deployment failed, its deployment was aborted, or somebody went back from it. */
  readonly isDoubtful: boolean
}

/** Returns kept versions in the order in which they are offered: what speaks against one puts it behind the others. */
export function offeredVersions(
  journal: Journal,
  { environment, application }: Pick<KeptVersion, 'environment' | 'application'>,
  keptVersions: readonly KeptVersion[],
  present: string,
): readonly OfferedVersion[] {
  const ended = endedAmong(journal.judgedRuns(environment, application))
  const left = leftAmong(journal.versionEntries(environment, application))
  const running = Map.groupBy(runningOf(journal, environment, application), one => one.version)
  const all = keptVersions.map(({ version, hasOnlyFailed }): OfferedVersion => {
    const end = ended.get(version)
    const against = [
      ...(version === present ? ['the present one'] : []),
      ...(end === undefined ? [] : [end.reason]),
      ...(left.has(version) ? ['somebody went back from it'] : []),
      ...(hasOnlyFailed === true && end === undefined ? ['it failed'] : []),
    ]
    const sites = (running.get(version) ?? []).map(({ site }) => site)
    const on = sites.length === 0 ? [] : [`on ${firstAndMore(sites, mostNames)}`]
    return { version, marks: [...against, ...on], isDoubtful: against.length > 0 }
  })
  return all.toSorted((one, other) => Number(one.isDoubtful) - Number(other.isDoubtful))
}

/** The most sites of a version that are named. */
const mostNames = 3

/** Returns kept versions with what is known of them: `1.4.0 (on north), 1.5.0 (failed on lab)`. */
export function keptInWords(kept: readonly OfferedVersion[]): string {
  return kept
    .map(({ version, marks }) => (marks.length === 0 ? version : `${version} (${marks.join('; ')})`))
    .join(', ')
}
