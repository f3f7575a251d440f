import { Failure } from '../errors.ts'
import { isNewer } from '../fleet/version-before.ts'
import type { HeldVersion } from '../journal/fleet/held-versions.ts'
import type { KeptVersion } from '../journal/fleet/kept-versions.ts'
import type { Journal } from '../journal/journal.ts'
import { optional } from '../object.ts'
import { sitesInWords } from '../plan/text/by-site.ts'
import { shortCommit } from '../state/repository/revision.ts'
import type { RollbackRequest } from './request.gen.ts'
import { addressed } from './subject/addressed.ts'
import { type LeftOut, withLeft } from './subject/asked.ts'
import { applicationOf } from './subject/names.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience, Subject } from './subject/subject.ts'
import { type ClosedSite, closedSites, closedTo, runningOf } from './version/closed-windows.ts'
import { hintFor, hintToName, missingText, targetMeant } from './version/meant.ts'
import { type NoWay, noWaysTo, versionsOnSites } from './version/no-way.ts'
import { keptInWords, offeredVersions } from './version/offered-versions.ts'
import { sayOfLastEntry } from './version/queue-word.ts'
import { keptVersionBefore, presentVersion } from './version/way-back.ts'

export type RolledBack = {
  readonly environment: string
  readonly application: string
  /** The version at which it is held from now on, and the commit that says how it is. */
  readonly version: string
  readonly commit: string
  /** Sites that run another version, and whose upgrade window is closed: there it waits. */
  readonly closed?: readonly ClosedSite[]
  /** The sites of that kind on which it does not wait, because somebody said so. */
  readonly outsideWindow?: readonly string[]
  /** What held it before. */
  readonly replaced?: Pick<HeldVersion, 'version' | 'reason' | 'who'>
  /** The sites that stay as they are, because no upgrade path leads back from what they have (A42). */
  readonly noWay?: readonly NoWay[]
  /** The sites on which it has no effect; absent: there are none. */
  readonly left?: readonly LeftOut[]
}

/**
 * Holds an application at a kept version, whatever newer commits want, until somebody resumes it. The next pass plans
 * it like everything else. Needs neither the git server nor the registry. Sites whose upgrade window is closed wait for
 * it, and are named, unless one more word was said (A66). Fails with `version-missing` if that version is not kept, with
 * `version-unreadable` if its commit cannot be read, and with `version-unclear` if none is named and it is not plain which
 * is meant.
 */
export async function rollback(
  audience: Audience,
  speaker: Speaker,
  given: RollbackRequest,
): Promise<RolledBack> {
  const { journal, nowMs } = audience
  const { who, via } = speaker
  const { to, reason = '', outsideWindow: isOutside = false } = given
  const { subject, left } = await addressed(audience, speaker, 'rollback', given)
  const application = await applicationOf(audience, subject, given.application)
  if (application === undefined) throw new Failure('wrong-usage', 'rollback needs the name of an application')
  const environment = subject.name()
  const atMs = nowMs()
  const unheard = new Set(left.map(({ site }) => site))
  const all = (await closedSites(subject, atMs)).filter(({ site }) => !unheard.has(site))
  const choose = () => {
    const held = journal.heldVersions(environment).find(one => one.application === application)
    return { held, keptVersion: chosenOf(journal, { environment, application, to, held, unheard }) }
  }
  await demandReadable(subject, choose().keptVersion)
  const said = journal.atOnce(() => {
    const { held, keptVersion } = choose()
    const { version, commit } = keptVersion
    const noWay = noWayBack(journal, keptVersion, unheard)
    journal.endForced({ environment, application })
    // Who goes back at once, and resumes later, is asked again about what was approved before (X18). What was approved of
    // the version that is held already counts.
    if (held?.version !== version || held.commit !== commit) journal.lapseApprovals(environment, application)
    journal.leaveVersions({ environment, application, version, atMs, ...optional('from', held?.version) })
    journal.holdVersion({ environment, application, version, commit, reason, who, atMs })
    const stays = new Set(noWay.map(({ site }) => site))
    const closed = closedTo(journal, { environment, application, version }, all)
    // Nothing waits for the window of a site to which no path leads.
    const others = closed.filter(({ site }) => !stays.has(site))
    const forced = isOutside ? others.map(({ site }) => site) : []
    for (const site of forced)
      sayOfLastEntry(journal, { environment, site, application, version, word: 'forced', who, atMs })
    const outside = forced.length === 0 ? '' : `, outside of the windows of ${sitesInWords(forced)}`
    const message = `to version ${version}${outside}${reason === '' ? '' : `: ${reason}`}`
    journal.recordAnswer({ environment, verb: 'rollback', about: application, who, via, message, atMs })
    const replaced = held && { version: held.version, reason: held.reason, who: held.who }
    const told = isOutside ? { outsideWindow: forced } : { closed: others }
    const windows = others.length === 0 ? {} : told
    const ways = noWay.length === 0 ? {} : { noWay }
    const more = { ...windows, ...ways, ...optional('replaced', replaced), ...withLeft(left) }
    return { environment, application, version, commit, ...more }
  })
  subject.request()
  return said
}

/** Nothing would come of holding a version that nobody can read, and whoever says so believes that it does. */
async function demandReadable(
  subject: Pick<Subject, 'unreadable'>,
  { application, version, commit }: KeptVersion,
): Promise<void> {
  const reason = await subject.unreadable(commit)
  if (reason === undefined) return
  throw new Failure(
    'version-unreadable',
    `${application}: version ${version} of commit ${shortCommit(commit)} cannot be read, and nothing was changed: ${reason}`,
    { hint: 'Name another kept version with --to, or try again once the repository is there.' },
  )
}

/**
 * Returns the sites that stay as they are. Fails with `no-upgrade-path` if they are all: then somebody would believe that
 * something happens.
 */
function noWayBack(
  journal: Journal,
  { environment, application, version, paths = 'any' }: KeptVersion,
  unheard: ReadonlySet<string>,
): readonly NoWay[] {
  const sites = versionsOnSites(journal, environment, application).filter(({ site }) => !unheard.has(site))
  const noWay = noWaysTo({ version, paths }, journal.versionEntries(environment, application), sites)
  const [first] = noWay
  if (first === undefined || noWay.length < sites.length) return noWay
  throw new Failure('no-upgrade-path', `${application} would stay as it is: ${first.reason}`, {
    hint: 'Name another kept version with --to.',
  })
}

/** What somebody asks to go back to. */
type Wish = {
  readonly environment: string
  readonly application: string
  readonly to: string | undefined
  readonly held: HeldVersion | undefined
  /** The sites on which it has no effect. */
  readonly unheard: ReadonlySet<string>
}

function chosenOf(journal: Journal, wish: Wish): KeptVersion {
  const { environment, application, to } = wish
  const keptVersions = journal.keptVersions(environment, application)
  const found =
    to === undefined
      ? beforePresent(journal, keptVersions, wish)
      : keptAs(journal, environment, keptVersions, to)
  if (found !== undefined) return found
  const versions = listOf(keptVersions)
  const kept = versions === '' ? 'no version of it is kept' : `these versions are kept: ${versions}`
  const present = presentVersion(journal, environment, application)
  throw new Failure(
    'version-missing',
    `${application}: there is no ${missingText(to, keptVersions, present)}; ${kept}`,
    to === undefined ? hintToName(keptVersions, present) : hintFor(to),
  )
}

/**
 * Fails with `version-unclear` if some site runs a version that the one before the present is newer than: what was never
 * reached there is no way back, so a person has to name it, and is told what is known of each (G12).
 */
function beforePresent(
  journal: Journal,
  keptVersions: readonly KeptVersion[],
  wish: Wish,
): KeptVersion | undefined {
  const { environment, application, unheard } = wish
  const entries = journal.versionEntries(environment, application)
  const present = presentVersion(journal, environment, application)
  const before = keptVersionBefore(journal, environment, application, present)
  if (before === undefined) return undefined
  const older = runningOf(journal, environment, application).find(
    one => !unheard.has(one.site) && isNewer(entries, before.version, one.version ?? ''),
  )
  if (older === undefined) return before
  const kept = offeredVersions(journal, wish, keptVersions, present)
  const [first, second] = kept.filter(({ isDoubtful }) => !isDoubtful)
  const offered = [first, second].flatMap(one => (one === undefined ? [] : [`--to ${one.version}`]))
  throw new Failure(
    'version-unclear',
    `${application}: the version before the present one is ${before.version}, and ${older.site} runs ${older.version || 'no version'}, which is older or not known; these versions are kept: ${keptInWords(kept)}`,
    optional(
      'hint',
      offered.length === 0 ? undefined : `Name the version that is meant: ${offered.join(' or ')}.`,
    ),
  )
}

function listOf(keptVersions: readonly KeptVersion[]): string {
  return keptVersions.map(({ version }) => version).join(', ')
}

/** Returns the kept version that a person names, by itself, by its commit or by a pass over that. */
function keptAs(
  journal: Journal,
  environment: string,
  keptVersions: readonly KeptVersion[],
  to: string,
): KeptVersion | undefined {
  const meant = targetMeant({ journal, environment, keptVersions }, to)
  if (meant === undefined) return undefined
  return 'keptVersion' in meant
    ? meant.keptVersion
    : keptVersions.find(one => one.commit.startsWith(meant.commit))
}
