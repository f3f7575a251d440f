import type { Problem } from '../../../errors.ts'
import { afterThose, isTakenBack, pathsOf } from '../../../fleet/queue.ts'
import { wantedLast } from '../../../journal/fleet/absent-versions.ts'
import type { KeptVersion } from '../../../journal/fleet/kept-versions.ts'
import { optional } from '../../../object.ts'
import type { Application } from '../../../state/application/application.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { containersOf, hasUnknownImage } from '../../../state/application/members.ts'
import { isOwnApplication } from '../../../state/application/own-application.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import { hashOf } from '../../../state/canonical.ts'
import type { VersionEntry } from '../../../state/fleet/queue.ts'
import { pinnedImages } from '../../../state/image/version.ts'
import { isOfDirectory, shortCommit } from '../../../state/repository/revision.ts'
import type { World } from '../../world.ts'

type Known = Pick<World, 'journal' | 'nowMs'>

/**
 * Keeps the versions of the applications that a commit has, so that they can be gone back to (A6), and notes which of
 * them it wants: what a deployment names counts before what the specification says (A12). A version whose content changes
 * is kept as it is now. One that is wanted and cannot be had, because it is blocked or no commit has brought it, is noted,
 * too (X18). `pinned`: the state of that commit, with its images pinned; an application with an unknown image is not kept.
 * Writes nothing if nothing is new. A directory keeps nothing: its files cannot be read again.
 */
export function recordKeptVersions(known: Known, pinned: DesiredState): void {
  const { journal, nowMs } = known
  const { environment } = pinned
  const changed = changedIn(known, pinned)
  if (changed.length === 0) return
  journal.atOnce(() => {
    for (const { application, keptVersion, keptVersions, named, wanted } of changed) {
      const before = journal.versionEntries(environment, application)
      if (keptVersion !== undefined) {
        journal.keepVersion(keptVersion, { named, ways: waysTo(journal, keptVersion) })
        const { version } = keptVersion
        if (keptVersions.some(one => isOtherContent(one, keptVersion)))
          journal.endForced({ environment, application, version })
      }
      if (wanted !== undefined) want(journal, { environment, application, atMs: nowMs() }, wanted)
      for (const back of takenBackNow(before, journal.versionEntries(environment, application)))
        journal.endForced({ environment, application, version: back.version, entry: back.number })
    }
  })
}

/** An application of which a commit has another version or content, or wants another version, than the one before. */
type Changed = {
  readonly application: string
  /** What is to be kept of it; absent: nothing is new. */
  readonly keptVersion?: KeptVersion
  /** What is kept of it, newest first. */
  readonly keptVersions: readonly KeptVersion[]
  /** What a deployment names. */
  readonly named: readonly string[]
  /** The version that is wanted, and whether it cannot be had; absent: nobody knows it. */
  readonly wanted?: WantedVersion
}

type WantedVersion = { readonly version: string; readonly isAbsent: boolean }

/** What no commit has brought yet is waited for (A10), and does not enter. */
function want(
  journal: Pick<World['journal'], 'wantVersion' | 'wantAbsent'>,
  about: Omit<Parameters<World['journal']['wantVersion']>[0], 'version'>,
  { version, isAbsent }: WantedVersion,
): void {
  if (isAbsent) journal.wantAbsent({ ...about, version })
  else journal.wantVersion({ ...about, version })
}

function changedIn(known: Known, pinned: DesiredState): readonly Changed[] {
  const { applications, blocked, deployments = [] } = pinned
  const { kept, news } = keptAndNews(known, pinned)
  const newsBy = new Map(news.map(keptVersion => [keptVersion.application, keptVersion]))
  const deploymentsOf = Map.groupBy(deployments, ({ application }) => application)
  const isOther = otherThanBefore(known, pinned)
  const having = [
    ...applications.map(one => ({ application: one.name, own: versionOf(one) })),
    ...blocked.map(({ application, version }) => ({ application, own: version })),
  ]
  return having.flatMap(({ application, own }): readonly Changed[] => {
    const named = (deploymentsOf.get(application) ?? []).flatMap(({ version }) => version ?? [])
    const [version = own] = named
    const [keptVersion, keptVersions] = [newsBy.get(application), kept.get(application) ?? []]
    const isAbsent = ![...keptVersions, ...(keptVersion ? [keptVersion] : [])].some(
      one => one.version === version,
    )
    const wanted = version === undefined || version === '' ? undefined : { version, isAbsent }
    if (keptVersion === undefined && (wanted === undefined || !isOther(application, wanted))) return []
    return [
      {
        application,
        keptVersions,
        named,
        ...optional('keptVersion', keptVersion),
        ...optional('wanted', wanted),
      },
    ]
  })
}

/** Tells whether another version is wanted than the one before. That is not noted of a directory, nor of what is our own. */
function otherThanBefore(
  { journal }: Known,
  { environment, revision: { commit } }: DesiredState,
): (application: string, wanted: WantedVersion) => boolean {
  if (isOfDirectory(commit)) return () => false
  const before = wantedLast(journal, environment)
  return (application, { version }) => !isOwnApplication(application) && before.get(application) !== version
}

/** Returns a warning for each version that a commit has with other images than an earlier commit had. */
export function releaseWarnings(known: Known, pinned: DesiredState): readonly Problem[] {
  const { kept, news } = keptAndNews(known, pinned)
  const newest = [...kept.values()].flatMap(keptVersions => keptVersions.slice(0, 1))
  const fresh = new Set(news.map(({ application }) => application))
  return [...newest.filter(({ application }) => !fresh.has(application)), ...news].flatMap(keptVersion =>
    keptVersion.commit === pinned.revision.commit ? differing(keptVersion) : [],
  )
}

/** Returns the versions that are kept, newest first, by application, and those that a commit adds to them. */
function keptAndNews(
  { journal, nowMs }: Known,
  { environment, revision: { commit }, applications }: DesiredState,
): { readonly kept: ReadonlyMap<string, readonly KeptVersion[]>; readonly news: readonly KeptVersion[] } {
  if (isOfDirectory(commit)) return { kept: new Map(), news: [] }
  const kept = Map.groupBy(journal.allKeptVersions(environment), ({ application }) => application)
  const news = applications.flatMap(application => {
    const known = kept.get(application.name) ?? []
    return newsOf({ environment, commit, atMs: nowMs() }, application, known) ?? []
  })
  return { kept, news }
}

/** Whoever forced a version meant what it consisted of then (A66). */
function isOtherContent(before: KeptVersion, { version, mark }: KeptVersion): boolean {
  return before.version === version && before.mark !== mark
}

/** Returns what the newest entry takes back. */
function takenBackNow(
  before: readonly VersionEntry[],
  now: readonly VersionEntry[],
): readonly VersionEntry[] {
  return now.filter(entry => isTakenBack(entry, now) && !isTakenBack(entry, before))
}

/** The most versions that are kept because a site may have to go by way of them. */
const mostWays = 16

/** Returns the versions that came after those that some site has, and that it may have to go by way of (A65). */
function waysTo(
  journal: Pick<World['journal'], 'versionEntries' | 'appliedVersions'>,
  { environment, application }: KeptVersion,
): readonly string[] {
  const entries = journal.versionEntries(environment, application)
  const left = afterThose(entries, journal.appliedVersions(environment, application))
  return [...new Set(left.toReversed().map(({ version }) => version))].slice(0, mostWays)
}

/** Returns what is to be kept of an application; undefined: nothing is new. */
function newsOf(
  about: Pick<KeptVersion, 'environment' | 'commit' | 'atMs'>,
  application: Application,
  known: readonly KeptVersion[],
): KeptVersion | undefined {
  const version = versionOf(application)
  if (version === '' || isOwnApplication(application.name) || hasUnknownImage(application)) return undefined
  const [newest] = known
  const mark = hashOf(application)
  if (newest?.version === version && newest.mark === mark && newest.paths !== undefined) return undefined
  const before = known.find(keptVersion => keptVersion.version === version)
  const keptVersion = {
    ...about,
    application: application.name,
    version,
    mark,
    images: imagesOf(application, before),
    // Without a version of its own, what runs has none that a path could lead from, so nothing goes by way of it.
    paths: application.version === undefined ? [] : pathsOf(application),
  }
  if (before === undefined) return keptVersion
  const atMs = before === newest ? before.atMs : about.atMs
  const isOther = before.commit !== about.commit && !haveSameImages(before, keptVersion)
  return isOther ? { ...keptVersion, atMs, insteadOf: before.commit } : { ...keptVersion, atMs }
}

/**
 * Returns the pinned images of an application, and those of its services without instances, which are not pinned: as
 * they are known from before, and without a digest otherwise.
 */
function imagesOf(application: Application, before: KeptVersion | undefined): KeptVersion['images'] {
  const pinned = pinnedImages(application)
  const others = new Set(
    application.services
      .flatMap(({ resting, ...service }) =>
        resting === undefined ? [] : containersOf({ ...service, ...resting }),
      )
      .map(({ image }) => image.reference)
      .filter(reference => pinned.every(image => image.reference !== reference)),
  )
  const known = before?.images ?? []
  const resting = [...others].flatMap(reference => {
    const own = known.filter(image => image.reference === reference)
    return own.length > 0 ? own : [{ reference, digest: '' }]
  })
  return [...pinned, ...resting]
}

/** What has no digest on one side is the same as what has one on the other. */
function haveSameImages(
  { images }: Pick<KeptVersion, 'images'>,
  other: Pick<KeptVersion, 'images'>,
): boolean {
  const areIn = (some: KeptVersion['images'], all: KeptVersion['images']) =>
    some.every(one =>
      all.some(
        ({ reference, digest }) =>
          reference === one.reference && (digest === one.digest || digest === '' || one.digest === ''),
      ),
    )
  return areIn(images, other.images) && areIn(other.images, images)
}

function differing({ application, version, insteadOf }: KeptVersion): readonly Problem[] {
  if (insteadOf === undefined) return []
  return [
    {
      code: 'version-twice',
      message: `${application}: version ${version} is there twice with different images: commit ${shortCommit(insteadOf)} had others, and it can no longer be gone back to`,
    },
  ]
}
