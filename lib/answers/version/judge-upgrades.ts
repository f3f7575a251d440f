import { Failure } from '../../errors.ts'
import { endedAmong } from '../../fleet/spread/ended.ts'
import { optional } from '../../object.ts'
import type { QueuedVersion } from '../../reconcile/status/application/waiting/queue-view.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import { knownSite } from '../../text/suggestion/unknown-name.ts'
import { failureOn } from '../deployment.ts'
import type { UpgradeRequest } from '../request.gen.ts'
import { type Addressed, addressed } from '../subject/addressed.ts'
import type { LeftOut } from '../subject/asked.ts'
import { applicationOf } from '../subject/names.ts'
import type { Speaker } from '../subject/speaker.ts'
import type { Audience, Subject } from '../subject/subject.ts'
import { begunIn, hasBegun, leftAsBegun, mostSitesNamed, type WaitingQueue } from './begun-upgrades.ts'
import { unreachableAmong } from './goals-without-way.ts'
import { lastSeen } from './last-seen.ts'
import { waysBack } from './way-back.ts'

/** What can be said of versions that wait. */
export type UpgradeVerb = 'force-upgrade' | 'delete-upgrade'

/** A version that waits on a site. */
export type WaitingUpgrade = { readonly site: string; readonly application: string; readonly version: string }

/** A version that was deleted on a site. */
export type DeletedUpgrade = WaitingUpgrade & {
  /** The newer version that is wanted there already, to which no way leads by it any more; absent: there is none. */
  readonly wanted?: string
  /** No upgrade path leads to it, so that nobody can have it installed there after all. */
  readonly hasNoPath?: true
}

/** What somebody says of versions that wait, with the names that he uses found. */
export type AddressedUpgrade = Addressed & {
  readonly verb: UpgradeVerb
  /** Absent: all applications of which a version waits. */
  readonly application: string | undefined
  /** Absent: all sites. */
  readonly sites: ReadonlySet<string> | undefined
  /** Absent: the wanted version. */
  readonly version: string | undefined
}

/** Finds what somebody speaks about. Fails with `wrong-usage` if there is none of that name, and as `addressed` does. */
export async function addressedUpgrade(
  audience: Audience,
  speaker: Speaker,
  given: UpgradeRequest,
  verb: UpgradeVerb,
): Promise<AddressedUpgrade> {
  const found = await addressed(audience, speaker, verb, given)
  const { subject } = found
  const application = await applicationOf(audience, subject, given.application)
  if (application === undefined && (verb === 'delete-upgrade' || given.version !== undefined))
    throw new Failure('wrong-usage', `${verb} needs the name of an application`)
  const named = (site: string) => knownSite(site, subject.sites(), subject.unusable())
  const sites = given.site && new Set(given.site.map(named))
  return { ...found, verb, application, sites, version: given.version }
}

/**
 * Returns what a word is about, on each site, and the sites on which it does not count, without saying it. Fails if it
 * counts nowhere although something is named: with `wrong-usage`, `deployment-stopped` or `no-upgrade-path`.
 */
export function judgeUpgrades(
  audience: Pick<Audience, 'journal'>,
  { subject, left, verb, application, sites, version }: AddressedUpgrade,
): { readonly meant: readonly DeletedUpgrade[]; readonly left: readonly LeftOut[] } {
  const { journal } = audience
  const environment = subject.name()
  const isForced = verb === 'force-upgrade'
  const seen = waitingOn(audience, subject, application, sites)
  const begun = isForced ? [] : begunIn(journal, environment, seen, version)
  const unheard = new Set([...left, ...begun].map(one => one.site))
  const waiting = seen.filter(one => !unheard.has(one.site))
  const ended = isForced ? endedIn(journal, environment, waiting, version) : []
  const isEnded = ({ site, application }: WaitingQueue) =>
    ended.some(({ upgrade }) => upgrade.site === site && upgrade.application === application)
  const chosen = waiting.filter(one => !isEnded(one)).flatMap(one => chosenIn(one, version, verb))
  const unreachable = unreachableAmong(journal, environment, chosen, { heedsDeletions: isForced })
  const isFar = (one: DeletedUpgrade) => unreachable.some(({ goal }) => goal === one)
  const far = isForced ? unreachable : []
  const meant = isForced
    ? chosen.filter(one => !isFar(one))
    : chosen.map(one => (isFar(one) ? { ...one, hasNoPath: true as const } : one))
  const others = [...left, ...begun.map(leftAsBegun), ...ended.map(leftAsEnded), ...far.map(leftAsFar)]
  if (meant.length > 0)
    return { meant, left: [...others, ...idleAmong(sites, [...meant, ...others], version)] }
  if (begun.length > 0) throw hasBegun(application, begun, waysBack(journal, environment, application ?? ''))
  const [first] = ended
  if (first !== undefined) throw hasEnded(first)
  const [farthest] = far
  if (farthest !== undefined)
    throw new Failure('no-upgrade-path', `${farthest.goal.site}: ${farText(farthest)}`)
  if (version !== undefined) throw notWaiting(application, version, waiting, verb)
  return { meant, left: others }
}

/** Returns those of the sites that somebody named of which nothing is told yet. */
function idleAmong(
  sites: ReadonlySet<string> = new Set(),
  told: readonly { readonly site: string }[],
  version: string | undefined,
): readonly LeftOut[] {
  const reason = version === undefined ? 'no upgrade waits there' : 'that version does not wait there'
  const others = [...sites].filter(name => !told.some(({ site }) => site === name))
  return others.map(site => ({ site, reason }))
}

/** An upgrade to a version that failed elsewhere in its deployment, or was aborted, and why. */
type EndedUpgrade = {
  readonly upgrade: WaitingUpgrade
  readonly deployment: string
  readonly reason: string
}

/**
 * Returns those of the versions that wait which reach no further site (A33): that version or, if none is named, the wanted
 * one. One at which somebody holds the application does, whatever became of its deployment.
 */
function endedIn(
  journal: Audience['journal'],
  environment: string,
  waiting: readonly WaitingQueue[],
  named: string | undefined,
): readonly EndedUpgrade[] {
  const deployed = new Map(
    [...journal.placements(environment).values()].map(({ deployment: { application, name } }) => [
      application,
      name,
    ]),
  )
  const names = new Set(waiting.map(({ application }) => application).filter(name => deployed.has(name)))
  const ended = new Map([...names].map(name => [name, endedAmong(journal.judgedRuns(environment, name))]))
  const held = journal.heldVersions(environment)
  return waiting.flatMap(({ site, application, queue }) => {
    const version = named ?? queue.at(-1)?.version
    const end = version === undefined ? undefined : ended.get(application)?.get(version)
    const isHeld = held.some(one => one.application === application && one.version === version)
    const deployment = deployed.get(application)
    if (version === undefined || end === undefined || deployment === undefined || isHeld) return []
    return [{ upgrade: { site, application, version }, deployment, reason: end.reason }]
  })
}

type FarUpgrade = ReturnType<typeof unreachableAmong<WaitingUpgrade>>[number]

function farText({ goal: { application, version }, reason }: FarUpgrade): string {
  return `${application} ${version} would not be installed: ${reason}`
}

function leftAsFar(far: FarUpgrade): LeftOut {
  return { site: far.goal.site, reason: farText(far) }
}

function endedText({ upgrade: { application, version }, reason }: EndedUpgrade): string {
  return `${application} ${version} ${reason}, so its deployment brings it to no other site`
}

function leftAsEnded(ended: EndedUpgrade): LeftOut {
  return { site: ended.upgrade.site, reason: endedText(ended) }
}

function hasEnded(ended: EndedUpgrade): Failure {
  return failureOn(ended.deployment, 'deployment-stopped', endedText(ended))
}

/** Returns what waits on the sites of an environment, as the last pass over each of them found it. */
function waitingOn(
  { journal }: Pick<Audience, 'journal'>,
  subject: Subject,
  application: string | undefined,
  sites: ReadonlySet<string> | undefined,
): readonly WaitingQueue[] {
  return lastSeen(journal, subject.name())
    .filter(one => (application ?? one.application) === one.application && (sites?.has(one.site) ?? true))
    .map(one => ({ site: one.site, application: one.application, queue: one.queue ?? [] }))
}

function notWaiting(
  application = '',
  version: string,
  waiting: readonly WaitingQueue[],
  verb: UpgradeVerb,
): Failure {
  const deleted = waiting.filter(({ queue }) =>
    queue.some(one => one.version === version && one.state === 'deleted'),
  )
  if (verb === 'delete-upgrade' && deleted.length > 0)
    return new Failure(
      'wrong-usage',
      `version ${version} of ${application} was deleted already on ${firstAndMore(
        deleted.map(({ site }) => site),
        mostSitesNamed,
      )}`,
      {
        hint: 'Nothing to do: it stays away there until a newer version comes, or somebody forces it.',
      },
    )
  const able = waiting.flatMap(({ queue }) => queue.filter(one => isUsable(one, verb)))
  const versions = [...new Set(able.map(one => one.version))]
  const others = versions.length === 0 ? 'none does' : `these do: ${versions.join(', ')}`
  return new Failure('wrong-usage', `version ${version} of ${application} does not wait; ${others}`)
}

/** What is never installed on a site can be neither forced nor deleted there, and nothing is deleted twice. */
function isUsable({ state }: QueuedVersion, verb: UpgradeVerb): boolean {
  return state !== 'out' && !(state === 'deleted' && verb === 'delete-upgrade')
}

/** The wanted version is the last one. */
function chosenIn(
  { site, application, queue }: WaitingQueue,
  version: string | undefined,
  verb: UpgradeVerb,
): readonly DeletedUpgrade[] {
  const wanted = queue.at(-1)
  const last = version === undefined ? wanted : queue.findLast(one => one.version === version)
  if (last === undefined || !isUsable(last, verb)) return []
  const isOnTheWay = verb === 'delete-upgrade' && last !== wanted && wanted?.state !== 'deleted'
  return [
    {
      site,
      application,
      version: last.version,
      ...optional('wanted', isOnTheWay ? wanted?.version : undefined),
    },
  ]
}
