import { timeout as abortAfter } from '../../timer.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import { type Ended, endOf } from '../status/followed.ts'
import type { Loop } from './loop.ts'

/** Waits for the ends of an environment's passes, which are counted from 1. */
export type PassEnds = {
  /** Returns how many passes have ended. */
  count(): number
  tell(result: PassResult): void
  /**
   * Returns the end of the first pass over a site after that many that carried something out: of that plan, if one did.
   * Undefined if none is remembered.
   */
  worked(site: string | undefined, after: number, planId: string): Ended | undefined
  /**
   * Waits until something is so, which is asked after the end of each pass. Rejects if that cannot be said: this
   * concerns nobody but who waits.
   */
  until(isSo: () => boolean, signal: AbortSignal): Promise<void>
}

/** What one pass carried out. */
type Work = { readonly number: number; readonly planId: string | undefined; readonly end: Ended }

/** How many passes over each site that carried something out are remembered, for callers that ask a little late. */
const remembered = 8

/** Creates the count for the loops of one environment. */
export function createPassEnds(): PassEnds {
  const works = new Map<string | undefined, readonly Work[]>()
  let count = 0
  const waiting = new Set<() => void>()
  return {
    count: () => count,
    tell(result) {
      count += 1
      const { site, plan, results } = result
      if (results.length > 0) {
        const work = { number: count, planId: plan?.id, end: endOf(result) }
        works.set(site, [...(works.get(site) ?? []).slice(1 - remembered), work])
      }
      for (const look of [...waiting]) look()
    },
    worked(site, after, planId) {
      const since = (works.get(site) ?? []).filter(({ number }) => number > after)
      return (since.find(work => work.planId === planId) ?? since[0])?.end
    },
    until: (isSo, signal) =>
      new Promise((resolve, reject) => {
        if (isSo()) return resolve()
        if (signal.aborted) return reject(signal.reason)
        const done = (settle: () => void) => {
          waiting.delete(look)
          signal.removeEventListener('abort', stop)
          settle()
        }
        const look = () => {
          try {
            if (isSo()) done(resolve)
          } catch (error) {
            done(() => reject(error))
          }
        }
        const stop = () => done(() => reject(signal.reason))
        waiting.add(look)
        signal.addEventListener('abort', stop, { once: true })
      }),
  }
}

/** Waits until something is so after the end of a pass, but no longer than that. Returns whether it is. */
export async function untilWithin(ends: PassEnds, isSo: () => boolean, limitMs: number): Promise<boolean> {
  const signal = abortAfter(limitMs)
  return ends.until(isSo, signal).then(
    () => true,
    error => {
      if (signal.aborted) return false
      throw error
    },
  )
}

/** Looks at the repository again, and waits until every site has dealt with what is wanted then. */
export async function lookAgain(loop: Loop, ends: PassEnds, signal: AbortSignal): Promise<void> {
  const look = loop.request('command')
  await ends.until(() => loop.isSettled(look), signal)
}
