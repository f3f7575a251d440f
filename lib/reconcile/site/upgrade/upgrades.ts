import {
  type Exclusion,
  type NextUpgrade,
  nextUpgrade,
  pathsOf,
  type Queued,
  queueOf,
} from '../../../fleet/queue.ts'
import { optional } from '../../../object.ts'
import { splitKey } from '../../../plan/change/change.ts'
import { type DiffResult, diff } from '../../../plan/compare/diff.ts'
import type { Past } from '../../../plan/compare/past.ts'
import { versionsToFollow } from '../../../plan/compare/version/versions-here.ts'
import type { Held } from '../../../plan/hold/held.ts'
import type { NextVersion } from '../../../plan/hold/hold.ts'
import { blockDependents } from '../../../spec/build/requires.ts'
import type { Application } from '../../../state/application/application.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import type { LiveState } from '../../../state/running/live.ts'
import { anySite } from '../../../text/sites/at-sites.ts'
import { applicationInCommit, thenOn } from '../../repository/version/application-at.ts'
import { type QueuedVersion, queueView } from '../../status/application/waiting/queue-view.ts'
import type { SiteWorld } from '../site.ts'
import { exclusionsIn, isForcedIn, type OnRecord, toldOn } from './exclusions.ts'
import { laterReleases } from './later-releases.ts'

/** A site, what it should have, and how it differs. */
export type Compared = {
  readonly desired: DesiredState
  readonly live: LiveState
  readonly past: Past
  readonly diff: DiffResult
}

/** Returns what is desired on a site if these applications take the place of others of their names. */
export type Exchange = (instead: ReadonlyMap<string, Application>) => Promise<DesiredState>

/** What a site gets next, where another version is wanted than it has. */
export type Upgrades = {
  /** What is desired now: applications that get to the wanted version by way of others have the next one in it. */
  readonly desired: DesiredState
  readonly diff: DiffResult
  readonly next: ReadonlyMap<string, NextVersion>
  /** What takes the place of the wanted version in it, by application. */
  readonly instead: ReadonlyMap<string, Application>
  /** What waits, by application. */
  readonly queues: ReadonlyMap<string, readonly QueuedVersion[]>
  /** Applications of which a version failed that others would go by way of: it is not forgotten. */
  readonly failed: ReadonlySet<string>
}

export type UpgradeOptions = {
  readonly exchange: Exchange
  /** Why nothing is upgraded now; absent: the window is open. */
  readonly closedWindow?: Held
  /** Whether what failed is tried again. */
  readonly retry: boolean
}

/**
 * Decides what comes next on a site for each application that another version is wanted of (A65). Costs nothing where
 * there is none. Reads earlier commits only of applications that no path leads from to the wanted version.
 */
export async function upgradesOn(
  site: SiteWorld,
  compared: Compared,
  options: UpgradeOptions,
  signal: AbortSignal,
): Promise<Upgrades> {
  const { desired, live, past } = compared
  const asked = desired.applications.filter(isAskedIn(compared.diff))
  if (asked.length === 0)
    return {
      ...{ desired, diff: compared.diff, next: new Map(), instead: new Map() },
      ...{ queues: new Map(), failed: new Set() },
    }
  const told = toldOn(site, desired, options)
  const running = versionsToFollow(live, past)
  const ways = asked.map(application =>
    wayOf(application, running.get(application.name), past, told, options),
  )
  const steps = await Promise.all(ways.map(way => stepsOf(site, compared, way, signal)))
  const instead = new Map(
    steps.flatMap(({ application }) =>
      application === undefined ? [] : [[application.name, application] as const],
    ),
  )
  const here = instead.size === 0 ? desired : blockDependents(await options.exchange(instead), undefined)
  const found = here === desired ? compared.diff : diff(here, live, past)
  return {
    desired: here,
    diff: found,
    next: new Map(steps.map(({ name, next }) => [name, next])),
    instead,
    queues: new Map(
      ways.map(({ application, queue, next }) => [
        application.name,
        queueView(queue, next, options.closedWindow, leavingIn(found, application.name, instead)),
      ]),
    ),
    failed: new Set(
      ways.flatMap(({ application, queue }) => (queue.some(hasFailed) ? [application.name] : [])),
    ),
  }
}

/** Whether another version of an application would come to the site. */
function isAskedIn({ differences }: DiffResult): (application: Application) => boolean {
  const names = new Set(
    differences.flatMap(({ application, arrival, noPath, isRollout }) =>
      arrival === 'upgrade' || (noPath !== undefined && isRollout) ? [application] : [],
    ),
  )
  return ({ name }) => names.has(name)
}

/** Returns the services that a step on the way no longer has, if nothing else of it is missing on the site; otherwise none. */
function leavingIn(
  { differences, undecided }: DiffResult,
  name: string,
  instead: Upgrades['instead'],
): readonly string[] {
  const own = differences.filter(({ application }) => application === name)
  const isStep = instead.has(name) && undecided.every(({ application }) => application !== name)
  return isStep && own.every(({ kind }) => kind === 'orphaned') ? own.map(({ service }) => service) : []
}

function hasFailed({ bar }: Queued): boolean {
  return bar?.is === 'failed'
}

/** How an application gets to the version that is wanted. */
type Way = {
  readonly application: Application
  /** The versions that the site has, as far as they are known. */
  readonly standing: ReadonlySet<string>
  readonly queue: readonly Queued[]
  readonly next: NextUpgrade
}

function wayOf(
  application: Application,
  running: ReadonlySet<string> = new Set(),
  { applied }: Past,
  told: OnRecord,
  { closedWindow }: UpgradeOptions,
): Way {
  const { name } = application
  const standing = standingOf(name, running, applied)
  const queue = queueOf({
    entries: told.entriesOf(name),
    standing,
    wanted: { version: versionOf(application), paths: pathsOf(application) },
    barOf: exclusionsIn(told, name),
    isForced: isForcedIn(told, name),
  })
  return { application, standing, queue, next: nextUpgrade(running, queue, closedWindow === undefined) }
}

/**
 * Returns which of the versions that entered a site has. Containers of an application without a version of its own say
 * none, but the journal knows by which it was called (X19).
 */
function standingOf(
  name: string,
  running: ReadonlySet<string>,
  applied: Past['applied'],
): ReadonlySet<string> {
  if (!running.has('')) return running
  const last = [...applied].flatMap(([key, { version = '' }]) =>
    splitKey(key).application === name ? [version] : [],
  )
  return new Set([...running, ...last].filter(version => version !== '' || last.includes('')))
}

/** What comes next. `application`: it, if that is not the wanted version. */
type Step = { readonly name: string; readonly next: NextVersion; readonly application?: Application }

async function stepsOf(
  { world }: SiteWorld,
  compared: Compared,
  { application: wanted, standing, next }: Way,
  signal: AbortSignal,
): Promise<Step> {
  const { name } = wanted
  const version = versionOf(wanted)
  if (next.kind !== 'go')
    return { name, next: { version, held: heldBy(next, { name, version, where: whereOf(world) }) } }
  const forced = optional('forced', next.isForced ? next.steps.at(-1)?.version : undefined)
  if (next.steps.length === 1 && next.steps[0].version === version)
    return { name, next: { version, ...forced } }
  const read = await Promise.all(
    next.steps.map(async ({ version: step, kept }) => {
      if (kept === undefined) return { application: wanted }
      const release = { application: name, version: step, commit: kept.commit }
      return thenOn(await applicationInCommit(world, compared.desired, release, signal), compared.live.site)
    }),
  )
  const [first] = read
  if (first === undefined || 'problem' in first) {
    const reason = first?.problem.message ?? name
    return { name, next: { version, held: { code: 'version-unreadable', reason } } }
  }
  const known = read.flatMap(one => ('application' in one ? one.application : []))
  const [by, ...others] = next.steps.map(step => step.version)
  const walk = {
    from: [...standing].sort().join(' and '),
    by: [by ?? version, ...others] as const,
    later: laterReleases(world, compared, known),
  }
  return {
    name,
    application: first.application,
    next: { version: versionOf(first.application), walk, ...forced },
  }
}

function heldBy(
  next: Exclude<NextUpgrade, { kind: 'go' }>,
  {
    name,
    version: wanted,
    where,
  }: { readonly name: string; readonly version: string; readonly where: string },
): Held {
  if (next.kind === 'deleted')
    return heldFor(next.bar, `this version ${next.bar.reason}${backText(next.bar, name, wanted, where)}`)
  if (next.by === undefined) return { code: 'no-upgrade-path', reason: next.reason }
  const { version, bar } = next.by
  const reason = `${next.reason}${backText(bar, name, version, where)}`
  return { ...heldFor(bar, reason), ...(bar.is === 'failed' ? { step: version } : {}) }
}

/** Says how a version that a person deleted is installed after all. */
function backText({ is }: Exclusion, name: string, version: string, where: string): string {
  return is === 'deleted'
    ? `; "tallyman force-upgrade ${name} ${version}${where}" installs it there after all`
    : ''
}

/** Of several sites, those that wait alike have one text. */
function whereOf({ engines }: Pick<SiteWorld['world'], 'engines'>): string {
  return engines.length === 1 ? '' : ` ${anySite}`
}

function heldFor({ is, sinceMs }: Exclusion, reason: string): Held {
  const code = is === 'failed' ? 'quarantined' : is === 'deleted' ? 'upgrade-deleted' : 'no-upgrade-path'
  return { code, reason, ...optional('sinceMs', sinceMs) }
}
