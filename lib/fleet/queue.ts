import type { QueueEntry } from '../state/fleet/queue-entry.ts'
import { parsePattern } from '../state/pattern.ts'

/** What an application is on a site, as far as its queue is concerned. */
export type Standing = {
  /** The version that runs; absent: it has none. */
  readonly version?: string
  /** The entry that it was made from; absent: it was there before the queue. */
  readonly number?: number
}

export type NextEntry =
  /** Nothing is in the queue that is newer than what runs. */
  | { readonly kind: 'none' }
  /** `skipped`: what lies between it and what runs, and is never installed. */
  | { readonly kind: 'take'; readonly entry: QueueEntry; readonly skipped: readonly QueueEntry[] }
  /** `entry`: the one that would be taken if the window were open. */
  | { readonly kind: 'window'; readonly entry: QueueEntry }
  /** No entry may follow what runs. `reason` says why, in words. */
  | { readonly kind: 'no-path'; readonly entry: QueueEntry; readonly reason: string }

/**
 * Decides which version of an application a site takes next: of those that entered after the one that runs, the last
 * one that may follow it. What lies between is skipped (A65). After that, the same is asked again. A first installation
 * and a change without a new version need neither window nor path (A11, A64). What a person forces needs no window, but
 * a path (A66).
 * @param running what is on the site; undefined: nothing is
 * @param entries in any order
 */
export function nextEntry(
  running: Standing | undefined,
  entries: readonly QueueEntry[],
  isWindowOpen: boolean,
): NextEntry {
  const newer = entries
    .filter(({ number }) => number > (running?.number ?? Number.NEGATIVE_INFINITY))
    .sort((a, b) => b.number - a.number)
  const [newest] = newer
  if (newest === undefined) return { kind: 'none' }
  if (running === undefined) return take(newest, newer)
  const reachable = newer.filter(entry => mayFollow(running, entry))
  const [last] = reachable
  if (last === undefined) return { kind: 'no-path', entry: newest, reason: noPathText(running, newer) }
  const allowed = reachable.find(
    entry => isWindowOpen || entry.isForced === true || entry.version === running.version,
  )
  return allowed === undefined ? { kind: 'window', entry: last } : take(allowed, newer)
}

function take(entry: QueueEntry, newer: readonly QueueEntry[]): NextEntry {
  const skipped = newer.filter(({ number }) => number < entry.number).toReversed()
  return { kind: 'take', entry, skipped }
}

/** Whether an upgrade path leads from what runs to an entry. An expression that cannot be read leads from nowhere. */
function mayFollow({ version = '' }: Standing, entry: QueueEntry): boolean {
  if (entry.from === undefined || (entry.version ?? '') === version) return true
  return entry.from.some(text => {
    const pattern = parsePattern(text)
    return pattern.ok && pattern.value.matches(version)
  })
}

/** The most versions in one reason. */
const mostNamed = 3

function noPathText({ version }: Standing, newer: readonly QueueEntry[]): string {
  const named = newer.slice(0, mostNamed).map(entry => entry.version ?? 'the one without a version')
  const more = newer.length > mostNamed ? ` or ${newer.length - mostNamed} more` : ''
  return `no entry of "upgrade-from" leads from ${version ?? 'no version'} to ${named.join(' or ')}${more}`
}
