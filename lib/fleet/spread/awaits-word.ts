import type { Stand } from './stand.ts'

/**
 * Whether a run waits until a person lets others follow the last batch, or something else comes: it is one of canaries, or
 * no site of it that is there proves the version (A31, A34). Nobody is asked to let others pass canaries that a person has
 * left alone (G14): whoever says so does not know that.
 */
export function awaitsWord(
  { wait, batches }: Pick<Stand, 'wait' | 'batches'>,
  isSuspended: () => boolean,
): boolean {
  const isOfCanaries = batches.at(-1)?.isCanary === true
  return (
    wait.for === 'word' ||
    wait.for === 'return' ||
    (wait.for === 'canaries' && isOfCanaries && (wait.sites.length === 0 || !isSuspended()))
  )
}
