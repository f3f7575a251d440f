import type { Stand } from './stand.ts'

/**
 * Whether a run waits until a person lets others follow the last batch, or something else comes: it is one of canaries, or
 * no site of it that is there proves the version (A31, A34).
 */
export function awaitsWord({ wait, batches }: Pick<Stand, 'wait' | 'batches'>): boolean {
  const isOfCanaries = batches.at(-1)?.isCanary === true
  return wait.for === 'word' || wait.for === 'return' || (wait.for === 'canaries' && isOfCanaries)
}
