import pLimit from 'p-limit'
import { createTurns, type Turns } from './turns.ts'

/**
 * How many sites are looked at at the same time, over all environments. What a pass carries out is not counted: it
 * waits for engines and for health most of the time.
 */
const looks = 128
/** How many sites that did not answer before are asked at the same time, so that the others never wait for them. */
const looksAtSilent = 32

/** The order in which sites are looked at: first come, first served. A site asks for one look at a time (G17). */
export type Queue = {
  look<T>(site: { readonly isSilent?: boolean }, work: () => Promise<T>): Promise<T>
  /** Looks wait for this before they compute, so that the event loop turns between two sites. */
  readonly turn: Turns
}

/** Creates the queue of a process. */
export function createQueue(): Queue {
  const usual = pLimit(looks)
  const silent = pLimit(looksAtSilent)
  const turn = createTurns()
  return {
    look: ({ isSilent }, work) =>
      (isSilent === true ? silent : usual)(async () => {
        await turn()
        return work()
      }),
    turn,
  }
}
