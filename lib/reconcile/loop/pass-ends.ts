import type { ChangeResult } from '../../apply/apply.ts'
import { optional } from '../../object.ts'
import { type Change, goesOn, isPutBack, type ServicePlace } from '../../plan/change/change.ts'
import { timeout as abortAfter } from '../../timer.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import { type PassError, resultErrors } from '../status/error.ts'
import { type Ended, endOf } from '../status/followed.ts'
import type { Loop } from './loop.ts'

/** Waits for the ends of an environment's passes, which are counted from 1. */
export type PassEnds = {
  /** Returns how many passes have ended. */
  count(): number
  tell(result: PassResult): void
  /** Tells what came of one change, also of a pass that goes on with others. */
  done(result: ChangeResult, passId: number | undefined, atMs: number): void
  /** Returns what came of the changes of the last passes over a site, the oldest first. */
  doneOn(site: string): readonly DoneChange[]
  /** Has everybody who waits look again, because more is known of a pass that goes on. */
  look(): void
  /**
   * Returns the end of the first pass over a site after that many that carried something out: of that plan, if one did.
   * One that gave way to another pass, which goes on with it, is none.
   * If that was a step on the way to another version, which was approved with it, returns the end of the last step so
   * far, or of the pass that did not go on. Undefined if none is remembered.
   */
  worked(site: string | undefined, after: number, planId: string): Ended | undefined
  /** Whether another pass is still to come, because the last one was such a step. */
  goesOn(site: string | undefined, after: number, planId: string): boolean
  /**
   * Waits until something is so, which is asked after the end of each pass. Rejects if that cannot be said: this
   * concerns nobody but who waits.
   */
  until(isSo: () => boolean, signal: AbortSignal): Promise<void>
}

/** What came of one change of a pass that may go on with others. One that the next pass goes on with is none. */
export type DoneChange = ServicePlace &
  Pick<Change, 'release'> & {
    /** The pass; absent: it is not on record. */
    readonly passId?: number
    readonly atMs: number
    readonly isRemoved: boolean
    /** `rolled-back`: also what only finishes going back. */
    readonly result: Exclude<ChangeResult['result'], 'interrupted'>
    readonly errors: readonly PassError[]
  }

/** What one pass carried out. */
type Work = {
  readonly number: number
  readonly planId: string | undefined
  readonly end: Ended
  readonly applications: readonly string[]
  /** Those of them that go on to another version by the same approval (X18). */
  readonly onTheirWay: readonly string[]
}

/** How many passes over each site that carried something out are remembered, for callers that ask a little late. */
const remembered = 8

/** How many changes on each site are remembered as long as they come from no more passes than that. */
const rememberedChanges = 1_000

/** Creates the count for the loops of one environment. */
export function createPassEnds(): PassEnds {
  const works = new Map<string | undefined, readonly Work[]>()
  const latest = new Map<string | undefined, Pick<Work, 'number' | 'end'>>()
  const changes = new Map<string, readonly DoneChange[]>()
  let count = 0
  const waiting = new Set<() => void>()
  const look = () => {
    for (const one of [...waiting]) one()
  }
  /** Follows the steps of one approval. `isStep`: the last one so far, after which no pass has ended yet. */
  const lastOf = (
    site: string | undefined,
    after: number,
    planId: string,
  ): { readonly end: Ended; readonly isStep?: true } | undefined => {
    const since = (works.get(site) ?? []).filter(
      ({ number, end }) => number > after && end.outcome !== 'superseded',
    )
    let work = since.find(one => one.planId === planId) ?? since[0]
    while (work !== undefined && work.onTheirWay.length > 0) {
      const { number, onTheirWay, end } = work
      const isNext = (one: Work) =>
        one.number > number && onTheirWay.some(is => one.applications.includes(is))
      const next = since.find(isNext)
      const last = latest.get(site)
      // A pass that gave way to another one says nothing of what comes.
      const isOver = last !== undefined && last.number > number && last.end.outcome !== 'superseded'
      if (next === undefined) return isOver ? last : { end, isStep: true }
      work = next
    }
    return work
  }
  return {
    count: () => count,
    tell(result) {
      count += 1
      const { site, plan } = result
      const last = { number: count, end: endOf(result) }
      latest.set(site, last)
      if (result.results.length > 0) {
        const work = { ...last, planId: plan?.id, ...applicationsIn(result) }
        works.set(site, [...(works.get(site) ?? []).slice(1 - remembered), work])
      }
      look()
    },
    done(result, passId, atMs) {
      const one = doneChange(result, passId, atMs)
      if (one !== undefined) {
        const all = [...(changes.get(one.site) ?? []), one]
        const passes = [...new Set(all.map(({ passId }) => passId))].slice(-remembered)
        const isLate = (done: DoneChange) => passes.includes(done.passId)
        changes.set(one.site, all.filter(isLate).slice(-rememberedChanges))
      }
      look()
    },
    doneOn: site => changes.get(site) ?? [],
    look,
    worked: (site, after, planId) => lastOf(site, after, planId)?.end,
    goesOn: (site, after, planId) => lastOf(site, after, planId)?.isStep === true,
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

function doneChange(done: ChangeResult, passId: number | undefined, atMs: number): DoneChange | undefined {
  const { change, result } = done
  if (result === 'interrupted') return undefined
  const { site, application, service, release, action } = change
  return {
    ...{ site, application, service, release, atMs, isRemoved: action === 'remove' },
    ...optional('passId', passId),
    result: result === 'applied' && isPutBack(change) ? 'rolled-back' : result,
    errors: resultErrors(done),
  }
}

function applicationsIn({ outcome, results }: PassResult): Pick<Work, 'applications' | 'onTheirWay'> {
  const isStep = ({ change, result }: ChangeResult) =>
    outcome === 'applied' && result === 'applied' && goesOn(change)
  const names = (all: readonly ChangeResult[]) => [...new Set(all.map(({ change }) => change.application))]
  return { applications: names(results), onTheirWay: names(results.filter(isStep)) }
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
