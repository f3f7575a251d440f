import type { ChangeResult } from '../../apply/apply.ts'
import { steadyMs } from '../../clock.ts'
import { optional } from '../../object.ts'
import { type Change, isPutBack, type ServicePlace } from '../../plan/change/change.ts'
import { goesOn } from '../../plan/change/walk.ts'
import { timeout as abortAfter, later, type Timer } from '../../wait/timer.ts'
import { least } from '../extremes.ts'
import { type Ended, endOf } from '../followed-approval/followed.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import { type PassError, resultErrors } from '../status/error.ts'
import type { Loop } from './loop.ts'

/** Waits for the ends of an environment's passes, which are counted from 1. */
export type PassEnds = {
  /** Returns how many passes have ended. */
  count(): number
  /**
   * Notes that somebody follows what ends after a count, which is remembered until a minute after the last question.
   * Returns the same value for each of them until then.
   */
  follower(asking: Follower): Follower
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
   * Waits until something is so, which is asked after the end of each pass, or less often if the answer takes long: a
   * tenth of the time at most. Rejects if that cannot be said: this concerns nobody but who waits.
   */
  until(isSo: () => boolean, signal: AbortSignal): Promise<void>
}

/** Who follows what was approved by a plan; the empty one: everything. */
export type Follower = {
  readonly environment: string
  readonly plan: string
  /** How many passes had ended before. */
  readonly from: number
  /** The first look at the repository after that. */
  readonly look: number
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

/**
 * How long what ended is remembered, in ms, although nobody follows it: who follows asks at once, and then every half of a
 * second.
 */
const lateMs = 60_000

/** A wait for something that takes longer to be answered, in ms, is not answered for each pass. */
const longMs = 2

/** How many times as long as an answer took the next one waits. */
const rest = 9

/** Creates the count for the loops of one environment. `clockMs`: the steady clock. */
export function createPassEnds(clockMs: () => number = steadyMs): PassEnds {
  const works = createRecent<string | undefined, Work>()
  const latest = createRecent<string | undefined, Pick<Work, 'number' | 'end'>>()
  const changes = createRecent<string, DoneChange>()
  const followers = new Map<string, { readonly follower: Follower; readonly askedMs: number }>()
  let count = 0
  /** Forgets what ended so long ago that nobody asks for it, unless somebody follows since before that. */
  const forget = () => {
    const beforeMs = clockMs() - lateMs
    for (const [key, { askedMs }] of followers) if (askedMs < beforeMs) followers.delete(key)
    const from = least([...followers.values()].map(({ follower }) => follower.from))
    for (const one of [works, latest, changes]) one.forget(beforeMs, from)
  }
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
    const since = works.of(site).filter(({ number, end }) => number > after && end.outcome !== 'superseded')
    let work = since.find(one => one.planId === planId) ?? since[0]
    while (work !== undefined && work.onTheirWay.length > 0) {
      const { number, onTheirWay, end } = work
      const isNext = (one: Work) =>
        one.number > number && onTheirWay.some(is => one.applications.includes(is))
      const next = since.find(isNext)
      const last = latest.of(site).at(-1)
      // A pass that gave way to another one says nothing of what comes.
      const isOver = last !== undefined && last.number > number && last.end.outcome !== 'superseded'
      if (next === undefined) return isOver ? last : { end, isStep: true }
      work = next
    }
    return work
  }
  return {
    count: () => count,
    follower(asking) {
      const key = JSON.stringify(asking)
      const { follower } = followers.get(key) ?? { follower: asking }
      followers.set(key, { follower, askedMs: clockMs() })
      return follower
    },
    tell(result) {
      count += 1
      const { site, plan } = result
      const last = { number: count, end: endOf(result) }
      latest.set(site, [last], clockMs(), count)
      if (result.results.length > 0) {
        const work = { ...last, planId: plan?.id, ...applicationsIn(result) }
        works.set(site, [...works.of(site).slice(1 - remembered), work], clockMs(), count)
      }
      forget()
      look()
    },
    done(result, passId, atMs) {
      const one = doneChange(result, passId, atMs)
      if (one !== undefined) {
        const all = [...changes.of(one.site), one]
        const passes = [...new Set(all.map(({ passId }) => passId))].slice(-remembered)
        const isLate = (done: DoneChange) => passes.includes(done.passId)
        changes.set(one.site, all.filter(isLate).slice(-rememberedChanges), clockMs(), count + 1)
      }
      look()
    },
    doneOn: changes.of,
    look,
    worked: (site, after, planId) => lastOf(site, after, planId)?.end,
    goesOn: (site, after, planId) => lastOf(site, after, planId)?.isStep === true,
    until: (isSo, signal) =>
      new Promise((resolve, reject) => {
        if (isSo()) return resolve()
        if (signal.aborted) return reject(signal.reason)
        let paused: Timer | undefined
        const done = (settle: () => void) => {
          paused?.cancel()
          waiting.delete(look)
          signal.removeEventListener('abort', stop)
          settle()
        }
        const look = () => {
          if (paused !== undefined) return
          const beganMs = clockMs()
          try {
            if (isSo()) return done(resolve)
            const tookMs = clockMs() - beganMs
            if (tookMs >= longMs) paused = later(rest * tookMs, again)
          } catch (error) {
            done(() => reject(error))
          }
        }
        const again = () => {
          paused = undefined
          look()
        }
        const stop = () => done(() => reject(signal.reason))
        waiting.add(look)
        signal.addEventListener('abort', stop, { once: true })
      }),
  }
}

/** What ended last on each site. */
type Recent<Place, One> = {
  /** The oldest first. */
  of(place: Place): readonly One[]
  /** @param number the number of the pass that ended with the last of them, or that of the next one to end */
  set(place: Place, all: readonly One[], atMs: number, number: number): void
  /** Forgets all of each site on which nothing ended since then, in ms, or after that many passes; undefined: all. */
  forget(beforeMs: number, number: number | undefined): void
}

function createRecent<Place, One>(): Recent<Place, One> {
  // The site on which something ended last comes last.
  const known = new Map<
    Place,
    { readonly all: readonly One[]; readonly atMs: number; readonly number: number }
  >()
  return {
    of: place => known.get(place)?.all ?? [],
    set(place, all, atMs, number) {
      known.delete(place)
      known.set(place, { all, atMs, number })
    },
    forget(beforeMs, from = Number.POSITIVE_INFINITY) {
      for (const [place, { atMs, number }] of known) {
        if (atMs >= beforeMs || number > from) return
        known.delete(place)
      }
    },
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
