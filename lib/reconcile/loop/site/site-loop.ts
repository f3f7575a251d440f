import type { EngineEvent } from '../../../engine.ts'
import { sleep } from '../../../wait/timer.ts'
import { isSameWanted } from '../../repository/desired.ts'
import { type EarlyLook, lookEarly } from '../../site/early-look.ts'
import type { SiteWorld } from '../../site/site.ts'
import { withRoom } from '../../site/with-room.ts'
import { moreImportant, type Trigger } from '../trigger.ts'
import { createWake } from '../wake.ts'
import { afterPass } from './after-pass.ts'
import { type RunningPass, runPass } from './meanwhile/running-pass.ts'
import type { LoopOptions, Offer, SiteLoopState } from './site-loop-state.ts'
import { type Backoff, isUnseen, sparedBy } from './spared.ts'
import { siteEvents } from './watch-engine.ts'

/** The passes over one site of one environment. */
export type SiteLoop = {
  /**
   * Hands over what is wanted from now on. Returns what asks for a pass with it; undefined: a site that did not answer is
   * let alone until its pause is over, unless something else is wanted or somebody asks.
   */
  offer(offer: Offer, trigger: Trigger): (() => void) | undefined
  /** Asks for a pass with what was handed over last. */
  look(trigger: Trigger): void
  /** Hands over the same again, as a further look found it. The running pass, if one runs, deals with it. */
  adopt(offer: Offer): void
  /**
   * Begins to look at the site, for the pass that the next offer asks for: while a git server is asked, the engine has
   * nothing to do. Does nothing while a pass runs, or if the site did not answer the last one.
   */
  lookEarly(): void
  /** Whether the site did not answer, and is let alone until its pause is over. */
  isResting(): boolean
  state(): SiteLoopState
  /** Resolves when the loop has ended after its signal aborted. */
  readonly ended: Promise<void>
}

/**
 * Engine events come in bursts. One pass handles a whole burst, well within the second in which drift has to be seen.
 */
const settleMs = 100

/** What the loop of a site works with. */
export type SiteLoopOptions = LoopOptions & {
  /** Resolves when the first pass may begin, and the loop that wrote to this site before has ended. */
  readonly after: Promise<void>
}

/**
 * Makes the passes over one site, one at a time, and waits for no other site (G17). Listens to the events of the site
 * once it was looked at.
 *
 * - While one runs, at most one waits. While it changes some applications, others are repaired beside it.
 * - A pass that applies is followed by one that verifies.
 * - While a rollout waits for health, a newer commit ends the wait (G12).
 * - When a window opens that something waits for, it makes a pass (A60).
 * - Once the signal aborts, the loop ends within the running engine call.
 */
export function startSiteLoop(
  site: SiteWorld,
  first: Offer,
  began: Trigger,
  options: SiteLoopOptions,
): SiteLoop {
  const { world } = site
  const wake = createWake<Trigger>(options.signal, moreImportant)
  /** Undefined: none has begun, or it has ended. */
  let running: RunningPass | undefined
  /** Undefined: none was begun that a pass may go by. */
  let early: EarlyLook | undefined
  const hear = (event?: EngineEvent) => {
    // Perhaps it came before that.
    early = undefined
    wake.ask('engine-event')
    running?.heard(event)
  }
  const events = siteEvents(site.engine, hear, world.log, options.signal)
  // Who writes to the site is known by its engine.
  site.memory.writership.onNews(() => wake.ask('engine-event'), options.signal)
  let offered = first
  let state: SiteLoopState = { look: 0 }
  /** Whether something was offered that the running pass does not know. */
  let isBehind = false
  let backoff: Backoff | undefined
  /** What the last pass was for. */
  let tried = first.wanted

  const change = (next: (state: SiteLoopState) => SiteLoopState) => {
    state = next(state)
  }
  const takeEarly = () => {
    const begun = early
    early = undefined
    return begun
  }

  const run = async () => {
    let trigger = began
    await options.after
    while (!options.signal.aborted) {
      // Something else may have been asked while a burst of events was waited for.
      trigger = moreImportant(trigger, wake.begin() ?? trigger)
      const { look } = offered
      isBehind = false
      const { nextMs: _, ...known } = state
      state = { ...known, running: { sinceMs: world.nowMs(), changes: [] } }
      const { offer, spared, result } = await withRoom(site, async onLooked => {
        const offer = offered
        const spared = sparedBy(trigger, backoff, isSameWanted(offer.wanted, tried), world.steadyMs())
        tried = offer.wanted
        running = runPass(site, offer, trigger, {
          ...options,
          settleMs,
          spared,
          last: state.last,
          newest: () => offered,
          early: takeEarly,
          isAsked: wake.isAsked,
          change,
          onLooked,
          onBegun: () => events.follow(offer.wanted.desired),
        })
        const result = await running.result
        running = undefined
        return { offer, spared, result }
      })
      const [steadyMs, nowMs] = [world.steadyMs(), world.nowMs()]
      const { wanted } = offer
      const { pollMs } = options
      const before = backoff
      const random = options.random()
      const input = { result, stale: wanted.stale, spared, before, pollMs, steadyMs, nowMs, random }
      const follows = afterPass(input)
      const { delayMs } = follows
      backoff = follows.backoff
      state = {
        last: result,
        lastEndedMs: nowMs,
        look: isBehind ? look : offered.look,
        ...(follows.isFollowUp ? { isUnverified: true } : {}),
        ...(delayMs === undefined ? {} : { nextMs: nowMs + delayMs }),
      }
      options.onResult(result, trigger)
      events.follow(wanted.desired)
      trigger = await wake.next(delayMs, follows.due)
      if (trigger === 'engine-event') await sleep(settleMs, options.signal).catch(() => undefined)
    }
    await events.ended()
  }

  const isResting = () =>
    state.running === undefined &&
    state.last !== undefined &&
    isUnseen(state.last) &&
    backoff !== undefined &&
    world.steadyMs() < backoff.untilMs
  const adopt = (offer: Offer) => {
    offered = offer
    if (state.running === undefined) state = { ...state, look: offer.look }
  }

  return {
    offer(offer, trigger) {
      if (trigger === 'poll' && isSameWanted(offer.wanted, offered.wanted) && isResting()) {
        adopt(offer)
        return undefined
      }
      offered = offer
      isBehind = true
      running?.heard(undefined)
      running?.asked(trigger === 'command' || trigger === 'deployment' ? 'a-person' : 'nobody')
      return () => wake.ask(trigger)
    },
    look(trigger) {
      wake.ask(trigger)
      running?.asked('nobody')
    },
    adopt,
    lookEarly() {
      if (state.running !== undefined || state.last === undefined || isUnseen(state.last)) return
      early = lookEarly(site, offered.wanted.desired, options.signal)
    },
    isResting,
    state: () => state,
    ended: run(),
  }
}
