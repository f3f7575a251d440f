import { isTakenBack } from '../../../fleet/queue.ts'
import { isEnded } from '../../../fleet/spread/facts/run-facts.ts'
import { runFacts } from '../../../journal/fleet/runs.ts'
import { type Change, splitKey } from '../../../plan/change/change.ts'
import { type DiffResult, diff } from '../../../plan/compare/diff.ts'
import type { Attempt } from '../../../plan/compare/past.ts'
import type { NextVersion } from '../../../plan/hold/hold.ts'
import { blockDependents } from '../../../spec/build/requires.ts'
import type { Application } from '../../../state/application/application.ts'
import { type Blocked, type DesiredState, wantedFrom } from '../../../state/application/desired.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import { applicationInCommit, thenOn } from '../../repository/version/application-at.ts'
import type { QueuedVersion } from '../../status/application/waiting/queue-view.ts'
import type { SiteWorld } from '../site.ts'
import { exclusionsIn, type OnRecord, toldOn } from './exclusions.ts'
import type { Compared, UpgradeOptions, Upgrades } from './upgrades.ts'

/** The version and the commit of an application that a site was being brought to when a process ended. */
type Begun = NonNullable<Attempt['of']>

/** What takes the place of what is wanted on a site, as far as that has to wait. */
export type BegunInstead = Pick<Upgrades, 'desired' | 'diff' | 'next' | 'queues'> & {
  /** The applications that something was begun of. */
  readonly names: ReadonlySet<string>
  /** Why those of them that are blocked are. */
  readonly blocked: readonly Blocked[]
}

/**
 * Returns what is desired on a site if applications that cannot get what is wanted now are brought to what was begun of
 * them there before; undefined if nothing was.
 * @param unable the changes that cannot be made now
 */
export async function begunInstead(
  site: SiteWorld,
  { live, past, upgrades }: Pick<Compared, 'live' | 'past'> & { readonly upgrades: Upgrades },
  unable: readonly Change[],
  { exchange, retry }: Pick<UpgradeOptions, 'exchange' | 'retry'>,
  signal: AbortSignal,
): Promise<BegunInstead | undefined> {
  const { desired, diff: found, instead, next, queues } = upgrades
  const stuck = new Set([...unable.map(({ application }) => application), ...unjudgedIn(desired, found)])
  const isOpen = [...(past.attempts?.values() ?? [])].some(({ phase }) => phase === 'open')
  if (stuck.size === 0 || !isOpen) return undefined
  const told = toldOn(site, desired, { retry })
  const begun = await begunOn(site, { desired, live, past, diff: found }, stuck, told, signal)
  if (begun.size === 0) return undefined
  const here = blockDependents(await exchange(new Map([...instead, ...begun])), undefined)
  const names = new Set(begun.keys())
  return {
    desired: here,
    diff: diff(here, live, past),
    next: new Map([...next, ...[...begun].map(([name, one]) => [name, completed(one)] as const)]),
    queues: new Map([...queues].map(([name, queue]) => [name, asBegun(queue, begun.get(name))])),
    names,
    blocked: desired.blocked.filter(({ application }) => names.has(application)),
  }
}

function completed(application: Application): NextVersion {
  return { version: versionOf(application), isBegun: true }
}

/** What was begun comes first, and the others after it. */
function asBegun(
  queue: readonly QueuedVersion[],
  application: Application | undefined,
): readonly QueuedVersion[] {
  if (application === undefined) return queue
  const begun = versionOf(application)
  return queue.map(({ version, state, ...told }): QueuedVersion => {
    if (version === begun) return { version, state: 'next' }
    return { version, ...told, state: state === 'next' ? 'later' : state }
  })
}

/**
 * Returns the applications of which an upgrade was begun on a site and neither completed nor given up, as they are in
 * the commit of that upgrade. They are completed while what is wanted by now has to wait (A62, D18). What has failed
 * since, here or elsewhere, or was taken back, is left out: of that, what ran before is put back.
 * @param stuck the applications that cannot get what is wanted now
 */
async function begunOn(
  site: SiteWorld,
  compared: Compared,
  stuck: ReadonlySet<string>,
  told: OnRecord,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Application>> {
  const found = new Map<string, Application>()
  for (const name of stuck) {
    const begun = begunIn(compared, name)
    if (begun === undefined || isGivenUp(site, compared, name, begun, told)) continue
    const release = { application: name, ...begun }
    const read = await applicationInCommit(site.world, compared.desired, release, signal)
    const then = thenOn(read, compared.live.site)
    if ('application' in then) found.set(name, then.application)
  }
  return found
}

/** Returns what was begun of an application; undefined if that is what is wanted, or if a part of it has failed. */
function begunIn({ desired, diff, past }: Compared, name: string): Begun | undefined {
  const own = [...(past.attempts ?? [])].filter(
    ([key, { phase }]) => splitKey(key).application === name && phase !== 'ended',
  )
  if (own.some(([, { phase }]) => phase === 'failed')) return undefined
  const begun = own.flatMap(([, attempt]) => attempt.of ?? []).at(-1)
  const wanted = desired.applications.find(application => application.name === name)
  if (begun === undefined || wantedFrom(desired, { application: name }) === begun.commit) return undefined
  if (wanted === undefined || versionOf(wanted) !== begun.version) return begun
  // The same version came with another content. If it came with that of before, it goes back without being asked about.
  const targets = targetsIn(diff)
  const isOther = own.some(([key, { target }]) => targets.get(splitKey(key).service) !== target)
  return isOther && !isWayBack(diff, name) ? begun : undefined

  function targetsIn({ differences, inSync }: DiffResult): ReadonlyMap<string, string> {
    const all = [...differences, ...inSync].filter(({ application }) => application === name)
    return new Map(all.map(({ service, target }) => [service, target]))
  }
}

function isWayBack({ differences }: DiffResult, name: string): boolean {
  return differences.some(one => one.application === name && one.isHalfway && one.kind === 'drifted')
}

/** Whether nobody wants a version any more that was begun: it failed, was deleted, or an earlier one is wanted again. */
function isGivenUp(
  { world: { journal } }: SiteWorld,
  { desired }: Compared,
  name: string,
  { commit, version }: Begun,
  told: OnRecord,
): boolean {
  const hasFailed = told.quarantined.some(one => one.application === name && one.commit === commit)
  const run = journal.runOf(desired.environment, name, version)
  if (hasFailed || (run !== undefined && isEnded(runFacts(journal, run)))) return true
  const entries = told.entriesOf(name)
  const entryOf = (wanted: string | undefined) => entries.findLast(one => one.version === wanted)
  const entry = entryOf(version)
  if (entry === undefined) return false
  const wanted = desired.applications.find(application => application.name === name)
  const wantedEntry = entryOf(wanted && versionOf(wanted))
  const isBehind = wantedEntry !== undefined && wantedEntry.number < entry.number
  return isBehind || isTakenBack(entry, entries) || exclusionsIn(told, name)(entry)?.is === 'deleted'
}

/** Returns the applications that cannot be judged on a site: they are blocked, or an image of theirs is unknown. */
function unjudgedIn({ blocked }: DesiredState, { undecided }: DiffResult): readonly string[] {
  return [...blocked, ...undecided].map(({ application }) => application)
}
