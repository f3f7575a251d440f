import type { VersionEntry } from '../state/fleet/queue.ts'
import { isTakenBack } from './queue.ts'

type Entry = Pick<VersionEntry, 'number' | 'version' | 'isLeft' | 'isUnwanted'>

/**
 * Returns the version that is gone back to if none is named: of the usable ones that entered before the present one,
 * the newest that was wanted and that nobody went back from. So it never leads forward to what was just left. Undefined
 * if there is none, also if it is not known when the present one entered. Pure.
 * @param entries all that entered, oldest first; the last one need not be the present one, which came after them then
 * @param present the version that is wanted now
 */
export function versionBefore(
  entries: readonly Entry[],
  present: string,
  isUsable: (version: string) => boolean,
): string | undefined {
  const all = withPresent(entries, present)
  const before = all.slice(0, -1).filter(({ version }) => version !== present)
  const left = leftAmong(entries)
  const isLeft = (entry: Entry) => left.has(entry.version) || isTakenBack(entry, all)
  const wanted = before.filter(({ isUnwanted }) => isUnwanted !== true)
  return wanted.findLast(entry => isUsable(entry.version) && !isLeft(entry))?.version
}

/**
 * Returns the versions that somebody went back from: each is left in all of its entries, until it enters once more. Pure.
 * @param entries all that entered, oldest first
 */
export function leftAmong(entries: readonly Pick<Entry, 'version' | 'isLeft'>[]): ReadonlySet<string> {
  const last = new Map(entries.map(({ version, isLeft }) => [version, isLeft]))
  return new Set([...last.keys()].filter(version => last.get(version) === true))
}

/** Whether a version entered for the first time after another one did, or it is not known when the other one did. Pure. */
export function isNewer(entries: readonly Entry[], version: string, other: string): boolean {
  const at = (wanted: string) => entries.findIndex(one => one.version === wanted)
  return at(version) > at(other)
}

function withPresent(entries: readonly Entry[], present: string): readonly Entry[] {
  const last = entries.at(-1)
  if (last?.version === present) return entries
  return [...entries, { number: (last?.number ?? 0) + 1, version: present }]
}
