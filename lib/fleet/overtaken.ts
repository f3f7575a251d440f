import type { VersionEntry } from '../state/fleet/queue.ts'

/**
 * Whether a version was overtaken since a time: another one entered after that, and then this one again. What somebody
 * approved before is over, because nobody knows whether that still counts (X18). Pure.
 * @param entries all that entered, oldest first
 */
export function wasOvertaken(
  entries: readonly Pick<VersionEntry, 'number' | 'version' | 'atMs'>[],
  version: string,
  sinceMs: number,
): boolean {
  const last = entries.findLast(one => one.version === version)
  const isOther = (one: Pick<VersionEntry, 'version' | 'atMs'>) =>
    one.version !== version && one.atMs > sinceMs
  return last !== undefined && entries.some(one => one.number < last.number && isOther(one))
}
