import type { VersionEntry } from '../state/fleet/queue.ts'

/**
 * Whether a version was overtaken since it was approved: another one was wanted after that, and then this one again. What
 * somebody approved before is over, because nobody knows whether that still counts (X18). Pure.
 * @param entries all that entered, or were wanted and could not be had, in any order
 * @param approved the last change of the wanted version before, by its `wantedSeq`, and the time, which counts only if that
 *   is not known: the clock may have been put back since
 */
export function wasOvertaken(
  entries: readonly Pick<VersionEntry, 'version' | 'atMs' | 'wantedSeq'>[],
  version: string,
  { wantedSeq, atMs }: { readonly wantedSeq?: number; readonly atMs: number },
): boolean {
  const wanted = entries.flatMap(one => (one.wantedSeq === undefined ? [] : [{ ...one, seq: one.wantedSeq }]))
  const isBeforeThis = ({ seq }: (typeof wanted)[number]) =>
    wanted.some(own => own.version === version && own.seq > seq)
  const isLater = (one: (typeof wanted)[number]) =>
    wantedSeq === undefined ? one.atMs > atMs : one.seq > wantedSeq
  return wanted.some(one => one.version !== version && isBeforeThis(one) && isLater(one))
}
