import type { ChangeResult } from '../../apply/apply.ts'
import type { EngineEvent } from '../../engine.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import { sleep } from '../../wait/timer.ts'
import { isSameWanted, type Wanted } from '../repository/desired.ts'
import { type EarlyLook, lookEarly } from '../site/early-look.ts'
import { pass } from '../site/pass.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import type { SiteWorld } from '../site/site.ts'
import { withRoom } from '../site/with-room.ts'
import { afterPass, mayBeOver } from './after-pass.ts'
import { type Meanwhile, seeTo } from './meanwhile/meanwhile.ts'
import type { AskedBy } from './meanwhile/take-over.ts'
import { type Backoff, isUnseen, sparedBy } from './spared.ts'
import { moreImportant, type Trigger } from './trigger.ts'
import { afterEvent, afterLook, afterSeen, type UnderWay, underWayWith } from './under-way.ts'
import { createWake } from './wake.ts'
import { siteEvents } from './watch-engine.ts'

export type SiteLoopState = {
  readonly running?: UnderWay
  readonly last?: PassResult
  readonly lastEndedMs?: number
  /** Present if the last pass changed something, and the pass that looks at it has not ended. */
  readonly isUnverified?: true
  /** When the loop makes the next pass by itself; undefined: when it is asked to. */
  readonly nextMs?: number
  /** The newest look at the repository whose outcome a pass of this site has dealt with. */
  readonly look: number
  /** The newest one that was judged while something is being changed there; absent: none was, or nothing is. */
  readonly judged?: number
}

/** What the repository wants, and the number of the look that found it. */
export type Offer = { readonly wanted: Wanted; readonly look: number }

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

/** What the loops of an environment work with. */
export type LoopOptions = {
  /** Undefined: something else says when to look at the repository. */
  readonly pollMs: number | undefined
  readonly signal: AbortSignal
  readonly random: () => number
  /** Told of the end of each pass. */
  readonly onResult: (result: PassResult, trigger: Trigger) => void
  /** Told when a pass, by its number, ends with one of its changes, what came of it, and when; absent: nobody is. */
  readonly onDone?: (done: ChangeResult, passId: number | undefined, atMs: number) => void
  /** Told of each pass beside another one that changed something; absent: nobody is. */
  readonly onBeside?: (result: PassResult) => void
  /** Told each time that it was judged what is wanted while something is being changed; absent: nobody is. */
  readonly onKnown?: () => void
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
  let meanwhile: Meanwhile | undefined
  /** Undefined: none was begun that a pass may go by. */
  let early: EarlyLook | undefined
  const hear = (event?: EngineEvent) => {
    // Perhaps it came before that.
    early = undefined
    wake.ask('engine-event')
    meanwhile?.heard(event)
  }
  const events = siteEvents(site.engine, hear, world.log, options.signal)
  // Who writes to the site is known by its engine.
  site.memory.writership.onNews(() => wake.ask('engine-event'), options.signal)
  let offered = first
  let state: SiteLoopState = { look: 0 }
  let onOffer: ((wanted: Wanted, asked: AskedBy) => void) | undefined
  /** Whether something was offered that the running pass does not know. */
  let isBehind = false
  /** Who asked for something since the running pass began; undefined: nothing was offered since. */
  let askedBy: AskedBy | undefined
  let backoff: Backoff | undefined
  /** What the last pass was for. */
  let tried = first.wanted

  const note = (change: (running: UnderWay) => UnderWay) => {
    if (state.running !== undefined) state = { ...state, running: change(state.running) }
  }
  const onEvent = (event: StepEvent) => note(running => afterEvent(running, event))

  const runOnce = async (
    trigger: Trigger,
    { wanted, look }: Offer,
    spared: Backoff | undefined,
    onLooked: () => void,
  ) => {
    using superseding = linkedAbort(options.signal)
    const { signal } = superseding
    let isTold = mayBeOver(state.last)
    let runningId: number | undefined
    const result = await pass(
      site,
      wanted,
      {
        trigger,
        until: 'apply',
        isRepeated: true,
        keepsWaiting: true,
        early: () => {
          const begun = early
          early = undefined
          return begun
        },
        onLooked,
        ...(spared === undefined ? {} : { backingOff: spared.applications }),
        onJudged: ({ blocked, changes }, { wait, declined }) => {
          const isLeft = blocked.length + wait.length + declined.length > 0
          isTold ||= isLeft || changes.some(({ held }) => held !== undefined)
        },
        onApply: (changes, { passId, standing }) => {
          runningId = passId
          if (changes.length === 0) return
          const { revision } = wanted.desired
          const found = () => standing().status
          const running = underWayWith(state.running ?? {}, changes, found, revision, world.nowMs())
          state = { ...state, running, judged: look }
          const seen = seeTo(site, wanted, {
            ...{ changes, passId, standing, isTold, spared, superseding, note, onEvent },
            ...{ settleMs, signal: options.signal, random: options.random },
            onBeside: result => {
              if (result.results.length > 0) options.onBeside?.(result)
            },
            onStanding: last => {
              // The look came after all that earlier passes changed.
              const { isUnverified: _, ...known } = state
              state = { ...known, last, lastEndedMs: last.endedMs ?? world.nowMs() }
              options.onKnown?.()
            },
          })
          meanwhile = seen
          options.onKnown?.()
          events.follow(wanted.desired)
          // Something may have happened since the look.
          if (wake.isAsked()) seen.heard(undefined)
          onOffer = async (newer, asked) => {
            const { look: judged } = offered
            const isKnown = await seen.offered(newer, asked)
            if (isKnown && meanwhile === seen) state = { ...state, judged }
            options.onKnown?.()
          }
          // It was offered while the pass was still looking.
          if (askedBy !== undefined) onOffer(offered.wanted, askedBy)
        },
        onSeen: () => note(running => afterSeen(running, site.engine.site)),
        onEnd: done => {
          meanwhile?.ended(done.change, done.result === 'applied')
          options.onDone?.(done, runningId, world.nowMs())
        },
        seenSince: () => meanwhile?.seenSince(),
        onEvent,
        onTasks: now => note(running => afterLook(running, now)),
      },
      signal,
    )
    onOffer = () => meanwhile?.breakOffRepairs()
    await meanwhile?.end()
    meanwhile = undefined
    onOffer = undefined
    return result
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
      const { offer, spared, result } = await withRoom(site, async looked => {
        const offer = offered
        askedBy = undefined
        const spared = sparedBy(trigger, backoff, isSameWanted(offer.wanted, tried), world.steadyMs())
        tried = offer.wanted
        return { offer, spared, result: await runOnce(trigger, offer, spared, looked) }
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
      meanwhile?.heard(undefined)
      const by = trigger === 'command' || trigger === 'deployment' ? 'a-person' : 'nobody'
      if (askedBy !== 'a-person') askedBy = by
      onOffer?.(offer.wanted, by)
      return () => wake.ask(trigger)
    },
    look(trigger) {
      wake.ask(trigger)
      // It may be asked while the pass is still looking.
      askedBy ??= 'nobody'
      onOffer?.(offered.wanted, 'nobody')
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
