import { endedAmong } from '../../fleet/spread/ended.ts'
import { leftAmong } from '../../fleet/version-before.ts'
import { wantedLast } from '../../journal/fleet/absent-versions.ts'
import type { HeldVersion } from '../../journal/fleet/held-versions.ts'
import type { Journal } from '../../journal/journal.ts'
import { optional } from '../../object.ts'
import { isOfDirectory } from '../../state/repository/revision.ts'
import { isoText } from '../../text/time.ts'
import { keptTogether } from './last-state.ts'

/** The versions of one application: what can be gone back to, and where what runs (A6). */
export type VersionList = {
  readonly environment: string
  readonly application: string
  /**
   * The version that it is to have: the one at which it is held, that its deployment names, or that of the newest commit;
   * absent: it is to have none. It is not among the kept ones if it cannot be installed.
   */
  readonly wanted?: string
  /** Neither the manifest nor a deployment names it any more. */
  readonly isNamed?: false
  readonly held?: Pick<HeldVersion, 'version' | 'commit' | 'reason' | 'who'> & { readonly since: string }
  /** The kept versions, newest first. */
  readonly versions: readonly {
    readonly version: string
    readonly commit: string
    /** Since when it was wanted. */
    readonly since: string
    /** The sites on which something of that version runs, as far as they were seen last. */
    readonly sites: readonly string[]
    /** It failed, and has not run completely on any site as it is kept. */
    readonly hasOnlyFailed?: true
    /** How its deployment ended before it was done: `failed on lab`; absent: it did not. */
    readonly ended?: string
    /** Somebody went back from it, and it was not wanted again since. */
    readonly isLeft?: true
  }[]
  /** The environment is read from a directory, of which no version is kept: its files cannot be read again. */
  readonly isOfDirectory?: true
  /** What runs and is not kept any more. */
  readonly others: readonly { readonly version: string; readonly sites: readonly string[] }[]
}

/** Returns the versions of an application, as the journal knows them. */
export function versionList(journal: Journal, environment: string, application: string): VersionList {
  const keptVersions = journal.keptVersions(environment, application)
  const held = journal.heldVersions(environment).find(one => one.application === application)
  const { revision, applications = [] } = keptTogether(journal, environment).state ?? {}
  const there = applications.filter(one => one.application === application && one.running > 0)
  const running = Map.groupBy(there, ({ version }) => version)
  const sitesOf = (version: string) => (running.get(version) ?? []).map(({ site }) => site)
  const named = journal.lastGood(environment)?.applications
  const isNamed = named === undefined || named.includes(application)
  const wanted = held?.version ?? (isNamed ? wantedLast(journal, environment).get(application) : undefined)
  const ended = endedAmong(journal.judgedRuns(environment, application))
  const left = leftAmong(journal.versionEntries(environment, application))
  const kept = new Set(keptVersions.map(({ version }) => version))
  return {
    environment,
    application,
    ...(wanted === undefined ? {} : { wanted }),
    ...(isNamed ? {} : { isNamed }),
    ...(held === undefined ? {} : { held: heldOf(held) }),
    ...(revision !== undefined && isOfDirectory(revision.commit) ? { isOfDirectory: true } : {}),
    versions: keptVersions.map(({ version, commit, atMs, hasOnlyFailed }) => ({
      version,
      commit,
      since: isoText(atMs),
      sites: sitesOf(version),
      ...optional('hasOnlyFailed', hasOnlyFailed),
      ...optional('ended', ended.get(version)?.reason),
      ...(left.has(version) ? { isLeft: true } : {}),
    })),
    others: [...running.keys()]
      .filter(version => !kept.has(version))
      .map(version => ({ version, sites: sitesOf(version) })),
  }
}

function heldOf({ version, commit, reason, who, atMs }: HeldVersion): NonNullable<VersionList['held']> {
  return { version, commit, reason, who, since: isoText(atMs) }
}
