import type { ChangeResult } from '../apply/apply.ts'
import { keyOf } from '../plan/change.ts'
import { every, sleep } from '../timer.ts'
import { type Backoff, backoffAfter } from './backoff.ts'
import type { Freshness } from './desired.ts'
import { pass } from './pass.ts'
import type { PassResult } from './pass-result.ts'
import { nextDelayMs } from './schedule.ts'
import { supersede } from './supersede.ts'
import type { World } from './world.ts'

/** What asks for another pass. It carries no facts (G18). */
export type Trigger =
  | 'start'
  | 'poll'
  | 'file-change'
  | 'engine-event'
  | 'command'
  | 'after-apply'
  | 'source-change'

export type LoopState = {
  /** The running pass: when it began, what it changes, and its latest step. */
  readonly running?: { readonly sinceMs: number; readonly changes: readonly string[]; readonly step?: string }
  readonly last?: PassResult
  readonly lastEndedMs?: number
  /** When the loop makes the next pass by itself; undefined: at the next trigger. */
  readonly nextMs?: number
}

export type Loop = {
  /** Asks for a pass. Any number of requests during a pass lead to one more (G18). */
  request(trigger: Trigger): void
  state(): LoopState
  /** Resolves when the loop has ended after its signal aborted. */
  readonly ended: Promise<void>
}

export type LoopOptions = {
  /** Undefined: something else calls `request('poll')`. */
  readonly pollMs: number | undefined
  readonly signal: AbortSignal
  readonly random: () => number
  readonly onResult: (result: PassResult, trigger: Trigger) => void
}

/** How old a look-up of the ref may be for triggers that are not about the repository. */
const freshEnoughMs = 60_000
/**
 * Engine events come in bursts. One pass handles a whole burst, well within the second in which drift has to be seen.
 */
const settleMs = 100

/**
 * Makes the passes over one environment, one at a time.
 *
 * - While one runs, at most one waits.
 * - A pass that applies is followed by one that verifies.
 * - While a rollout waits for health, a newer commit ends the wait (G12).
 * - Once the signal aborts, the loop ends within the running engine call.
 */
export function startLoop(world: World, options: LoopOptions): Loop {
  let wake: ((trigger: Trigger) => void) | undefined
  let pending: Trigger | undefined
  let state: LoopState = {}
  let backoff: Backoff | undefined
  let onNews: (() => void) | undefined

  const request = (trigger: Trigger) => {
    if (pending === undefined || pending === 'engine-event') pending = trigger
    if (trigger !== 'engine-event') onNews?.()
    wake?.(pending)
  }

  const runOnce = async (trigger: Trigger, spared: Backoff | undefined): Promise<PassResult> => {
    const superseding = new AbortController()
    const signal = AbortSignal.any([options.signal, superseding.signal])
    const result = await pass(
      world,
      {
        trigger,
        until: 'apply',
        freshness: freshnessOf(trigger, options.pollMs, spared !== undefined),
        keepsWaiting: true,
        ...(spared === undefined ? {} : { backingOff: spared.applications }),
        onApply: changes => {
          if (changes.length === 0) return
          state = { ...state, running: { sinceMs: world.nowMs(), changes: changes.map(keyOf) } }
          const news = supersede(world, changes, superseding, signal)
          onNews = () => void news()
        },
        onEvent: ({ step, phase }) => {
          if (phase === 'started' && state.running !== undefined)
            state = { ...state, running: { ...state.running, step } }
        },
      },
      signal,
    )
    onNews = undefined
    return result
  }

  const run = async () => {
    let trigger: Trigger = 'start'
    while (!options.signal.aborted) {
      pending = undefined
      state = { ...state, running: { sinceMs: world.nowMs(), changes: [] } }
      const poll = options.pollMs === undefined ? undefined : every(options.pollMs, () => onNews?.())
      // What failed and is tried again causes events of its own, which must not shorten its pause.
      const isEvent = trigger === 'engine-event' || trigger === 'after-apply'
      const spared =
        isEvent && backoff !== undefined && world.steadyMs() < backoff.untilMs ? backoff : undefined
      const result = await runOnce(trigger, spared)
      poll?.cancel()
      const [steadyMs, nowMs, random, { pollMs }] = [
        world.steadyMs(),
        world.nowMs(),
        options.random(),
        options,
      ]
      backoff = backoffAfter({ result, spared, before: backoff, pollMs, steadyMs, random })
      const delayMs =
        followUpDelayMs(result) ??
        (backoff === undefined
          ? nextDelayMs({ result, pollMs, failures: 0, random })
          : Math.max(0, backoff.untilMs - steadyMs))
      state = {
        last: result,
        lastEndedMs: nowMs,
        ...(delayMs === undefined ? {} : { nextMs: nowMs + delayMs }),
      }
      options.onResult(result, trigger)
      trigger = await next(delayMs, followUpDelayMs(result) === undefined ? 'poll' : 'after-apply')
    }
  }

  const next = async (delayMs: number | undefined, otherwise: Trigger): Promise<Trigger> => {
    if (options.signal.aborted) return otherwise
    const ending = new AbortController()
    const signal = AbortSignal.any([options.signal, ending.signal])
    const woken = new Promise<Trigger>(resolve => {
      wake = resolve
      if (pending !== undefined) resolve(pending)
    })
    const timed = delayMs === undefined ? undefined : sleep(delayMs, signal).then(() => otherwise)
    const stopped = new Promise<Trigger>(resolve =>
      options.signal.addEventListener('abort', () => resolve(otherwise), {
        once: true,
        signal: ending.signal,
      }),
    )
    const quiet = timed?.catch(() => otherwise)
    const trigger = await Promise.race([woken, stopped, ...(quiet === undefined ? [] : [quiet])])
    ending.abort()
    wake = undefined
    if (trigger === 'engine-event') await sleep(settleMs, options.signal).catch(() => undefined)
    return trigger
  }

  return { request, state: () => state, ended: run() }
}

/** After an apply, or an interruption of it, the next pass is due at once. */
function followUpDelayMs({ outcome, results }: PassResult): number | undefined {
  const isDone = ({ change, result }: ChangeResult) =>
    result === 'applied' || (result === 'rolled-back' && change.cause !== 'drifted')
  return outcome === 'superseded' || results.some(isDone) ? 0 : undefined
}

function freshnessOf(trigger: Trigger, pollMs: number | undefined, asPinned: boolean): Freshness {
  const maxAgeMs =
    trigger === 'engine-event' || trigger === 'after-apply'
      ? Math.min(pollMs ?? freshEnoughMs, freshEnoughMs)
      : 0
  return { maxAgeMs, lastGood: true, ...(asPinned ? { asPinned } : {}) }
}
