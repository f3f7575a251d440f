import type { VersionEntry } from '../state/fleet/queue.ts'

/**
 * Whether a version was overtaken since a time: another one was wanted after that, and then this one again. What somebody
 * approved before is over, because nobody knows whether that still counts (X18). Pure.
 * @param entries all that entered, oldest first
 */
export function wasOvertaken(
  entries: readonly Pick<VersionEntry, 'number' | 'version' | 'atMs' | 'isUnwanted'>[],
  version: string,
  sinceMs: number,
): boolean {
  const last = entries.findLast(one => one.version === version)
  const isOther = (one: (typeof entries)[number]) =>
    one.version !== version && one.atMs > sinceMs && one.isUnwanted !== true
  return last !== undefined && entries.some(one => one.number < last.number && isOther(one))
}
