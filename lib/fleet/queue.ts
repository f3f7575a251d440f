import type { Application } from '../state/application/application.ts'
import type { Paths, VersionEntry } from '../state/fleet/queue.ts'
import {
  leadsFromAll,
  noPathText,
  pathMatcher,
  runningBeside,
  type VersionMatcher,
} from '../state/fleet/upgrade-path.ts'

/** A version that waits on a site, in the order of entry. */
export type Queued = Pick<VersionEntry, 'number' | 'version' | 'kept'> & {
  readonly paths: Paths
  /** Why it is never installed here. */
  readonly bar?: Exclusion
  /** A person has it installed outside of the windows (A66). */
  readonly isForced?: true
}

/** Why a version is not installed on a site, in words that continue a sentence about it. */
export type Exclusion = {
  /** `failed`: on this site. `ended`: on another one of its deployment, or a person aborted that. */
  readonly is: 'taken-back' | 'not-kept' | 'failed' | 'ended' | 'deleted'
  readonly reason: string
  readonly sinceMs?: number
}

/** What is installed on a site next. */
export type NextUpgrade =
  /** These, one after the other. The last one is the wanted one, or one that a person forces before its time. */
  | { readonly kind: 'go'; readonly steps: readonly [Queued, ...Queued[]]; readonly isForced: boolean }
  /** Nothing: the wanted one was deleted. */
  | { readonly kind: 'deleted'; readonly bar: Exclusion }
  /** Nothing: no way leads to the wanted one, or only one by way of `by`, which is not installed. */
  | {
      readonly kind: 'no-way'
      readonly reason: string
      readonly by?: { readonly version: string; readonly bar: Exclusion }
    }

/**
 * Decides which version of an application a site gets next (A65). The wanted one is the last of the queue. If it may not
 * follow what runs, the site gets there by way of others: at each step the last one that may follow, and from which the
 * way goes on. Those between are skipped, and one from which no way leads on is installed only if a person forces it.
 * While the window is closed, what a person forces goes on, on the same way (A66). Pure.
 * @param running the versions that an upgrade path has to lead from; empty: none runs
 */
export function nextUpgrade(
  running: ReadonlySet<string>,
  queue: readonly [Queued, ...Queued[]],
  isOpen: boolean,
): NextUpgrade {
  const wanted = queue.at(-1) ?? queue[0]
  const isFree = wanted.bar === undefined && (isOpen || wanted.isForced === true)
  const forced = queue.filter(({ isForced, bar }) => isForced === true && bar === undefined).toReversed()
  const isUsable = ({ bar }: Queued) => bar === undefined
  // What is forced and cannot be reached keeps nothing else from its turn, and neither does a wanted one.
  for (const goal of (isFree ? [wanted, ...forced] : [...forced, wanted]).filter(isUsable)) {
    const [first, ...others] = wayIn(running, queue.slice(0, queue.indexOf(goal) + 1).filter(isUsable))
    if (first !== undefined)
      return { kind: 'go', steps: [first, ...others], isForced: goal.isForced === true }
  }
  if (wanted.bar !== undefined) return { kind: 'deleted', bar: wanted.bar }
  const barred = wayIn(running, queue).find(step => !isUsable(step))
  const reason = noPathText(runningBeside(wanted.version, running), wanted.version)
  if (barred?.bar === undefined) return { kind: 'no-way', reason }
  const by = { version: barred.version, bar: barred.bar }
  return { kind: 'no-way', reason: `${reason}, and ${by.version} ${by.bar.reason}`, by }
}

/** Returns the versions by which one gets to the last of these, that one included; none if there is no way. */
function wayIn(running: ReadonlySet<string>, queue: readonly Queued[]): readonly Queued[] {
  const goal = queue.at(-1)
  if (goal === undefined) return []
  const matches = pathMatcher()
  // What has no version of its own leads nowhere else, and is reached from everywhere.
  const follows = (entry: Queued, versions: ReadonlySet<string>) =>
    (entry === goal && entry.paths.length === 0) || mayFollow(versions, entry, matches)
  // From the end: an entry leads on if the goal, or a later entry that leads on, may follow it.
  const leading: Queued[] = [goal]
  for (const entry of queue.slice(0, -1).toReversed())
    if (leading.some(later => follows(later, new Set([entry.version])))) leading.unshift(entry)
  const way: Queued[] = []
  let [from, left] = [running, leading]
  while (left.length > 0) {
    const at = left.findLastIndex(entry => follows(entry, from))
    const step = left[at]
    if (step === undefined) return []
    way.push(step)
    from = new Set([step.version])
    left = left.slice(at + 1)
  }
  return way
}

/** Whether an upgrade path leads from what runs to an entry (A42). */
function mayFollow(
  running: ReadonlySet<string>,
  { version, paths }: Queued,
  matches: VersionMatcher,
): boolean {
  const others = runningBeside(version, running)
  if (paths === 'any' || others.length === 0) return true
  return paths.some(pattern => leadsFromAll(pattern, others, matches))
}

/** Returns from which versions an application may be reached. */
export function pathsOf({ upgrades }: Pick<Application, 'upgrades'>): Paths {
  return upgrades?.map(({ fromPattern }) => fromPattern) ?? 'any'
}

/** What is known of the versions of an application on a site. */
export type QueueInput = {
  /** All that entered, oldest first. */
  readonly entries: readonly VersionEntry[]
  /** Those of the versions that entered which the site has. */
  readonly standing: ReadonlySet<string>
  readonly wanted: { readonly version: string; readonly paths: Paths }
  /** Why an entry is not installed on this site; undefined: it may be. */
  readonly barOf: (
    entry: Pick<VersionEntry, 'number' | 'version'> & Partial<VersionEntry>,
  ) => Exclusion | undefined
  readonly isForced: (entry: Pick<VersionEntry, 'number' | 'version'>) => boolean
}

/**
 * Returns the queue of an application on a site: what entered after the version that runs, and last the wanted one. A
 * version that a later commit took back, because an earlier one was wanted again, is barred (A65). Pure.
 */
export function queueOf(input: QueueInput): readonly [Queued, ...Queued[]] {
  const { entries, standing, wanted, isForced } = input
  const at = entries.findLastIndex(({ version }) => version === wanted.version)
  const own = { number: entries[at]?.number ?? 0, version: wanted.version }
  // One that has not entered yet, because it is only planned, would come after all that have.
  const before = at < 0 ? entries : entries.slice(0, at)
  const between = afterThose(before, standing).map((entry): Queued => {
    const { number, version, kept } = entry
    const bar = isTakenBack(entry, entries) ? takenBack : kept === undefined ? notKept : input.barOf(entry)
    const more = {
      ...(bar === undefined ? {} : { bar }),
      ...(isForced(entry) ? { isForced: true as const } : {}),
    }
    return { number, version, paths: kept?.paths ?? 'any', ...(kept === undefined ? {} : { kept }), ...more }
  })
  const bar = input.barOf(own)
  const last: Queued = {
    ...{ ...own, paths: wanted.paths },
    ...(bar?.is === 'deleted' ? { bar } : {}),
    ...(isForced(own) ? { isForced: true } : {}),
  }
  const [first, ...others] = at >= 0 && isBehind(entries, at, standing) ? [] : between
  return first === undefined ? [last] : [first, ...others, last]
}

const takenBack: Exclusion = { is: 'taken-back', reason: 'was taken back by a later commit' }
const notKept: Exclusion = { is: 'not-kept', reason: 'is no longer kept' }

/** Whether one of these versions entered after the wanted one, so that the way leads back. */
function isBehind(
  entries: readonly VersionEntry[],
  wantedAt: number,
  standing: ReadonlySet<string>,
): boolean {
  return entries.slice(wantedAt + 1).some(({ version }) => standing.has(version))
}

/**
 * Whether it entered between two entries of one other version, which is wanted since then, so that somebody went back
 * from it. Pure.
 */
export function isTakenBack(
  { number, version }: Pick<VersionEntry, 'number' | 'version'>,
  entries: readonly Pick<VersionEntry, 'number' | 'version' | 'isUnwanted'>[],
): boolean {
  const before = new Set(entries.filter(one => one.number < number).map(one => one.version))
  const goesBack = (one: (typeof entries)[number]) => one.isUnwanted !== true && before.has(one.version)
  return entries.some(one => one.number > number && one.version !== version && goesBack(one))
}

/** Returns what entered after each of these versions did last. */
export function afterThose<Entry extends Pick<VersionEntry, 'version'>>(
  entries: readonly Entry[],
  versions: ReadonlySet<string>,
): readonly Entry[] {
  const places = [...versions].map(version => entries.findLastIndex(entry => entry.version === version))
  return entries.slice(places.reduce((least, place) => Math.min(least, place), entries.length - 1) + 1)
}
