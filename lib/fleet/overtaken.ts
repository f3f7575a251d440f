import type { VersionEntry } from '../state/fleet/queue.ts'

/**
 * Whether a version was overtaken since it was approved: another one was wanted after that, and then this one again. What
 * somebody approved before is over, because nobody knows whether that still counts (X18). Pure.
 * @param entries all that entered, oldest first
 * @param approved the last entry of then, by its number, and the time, which counts only if that is not known: the clock may
 *   have been put back since
 */
export function wasOvertaken(
  entries: readonly Pick<VersionEntry, 'number' | 'version' | 'atMs' | 'isUnwanted'>[],
  version: string,
  { entry, atMs }: { readonly entry?: number; readonly atMs: number },
): boolean {
  const last = entries.findLast(one => one.version === version)
  const isLater = (one: Pick<VersionEntry, 'number' | 'atMs'>) =>
    entry === undefined ? one.atMs > atMs : one.number > entry
  const isOther = (one: (typeof entries)[number]) => one.version !== version && one.isUnwanted !== true
  return last !== undefined && entries.some(one => one.number < last.number && isOther(one) && isLater(one))
}
