import type { EngineEvent } from '../../../../engine.ts'
import type { Change } from '../../../../plan/change/change.ts'
import type { StepEvent } from '../../../../state/pass/step-event.ts'
import { linkedAbort } from '../../../../wait/linked-abort.ts'
import type { EarlyLook } from '../../../site/early-look.ts'
import { pass } from '../../../site/pass.ts'
import type { Begun } from '../../../site/pass-request.ts'
import type { PassResult } from '../../../site/result/pass-result.ts'
import type { SiteWorld } from '../../../site/site.ts'
import type { Trigger } from '../../trigger.ts'
import { afterEvent, afterLook, afterSeen, type UnderWay, underWayWith } from '../../under-way.ts'
import { mayBeOver } from '../after-pass.ts'
import type { LoopOptions, Offer, SiteLoopState } from '../site-loop-state.ts'
import type { Backoff } from '../spared.ts'
import { type Meanwhile, seeTo } from './meanwhile.ts'
import type { AskedBy } from './take-over.ts'

/** A pass over a site of a loop while it runs, and what reaches it from outside. */
export type RunningPass = {
  /** Says that something happened there; undefined: nobody can say to which container. */
  heard(event: EngineEvent | undefined): void
  /** Says that something was handed over or asked for since it began, and by whom. */
  asked(by: AskedBy): void
  /** What came of it, once nothing runs beside it any more. */
  readonly result: Promise<PassResult>
}

export type RunningPassOptions = LoopOptions & {
  /** How long events are waited for that come in one burst. */
  readonly settleMs: number
  /** What is let alone for a while because it failed before. */
  readonly spared: Backoff | undefined
  /** What came of the pass before; undefined: it is the first. */
  readonly last: PassResult | undefined
  /** Returns what was handed over last. */
  readonly newest: () => Offer
  /** Returns a look at the site that was begun for this pass, once; undefined: there is none. */
  readonly early: () => EarlyLook | undefined
  /** Called once it is known what is to be done. */
  readonly onLooked: () => void
  /** Whether anything happened since the pass began. */
  readonly isAsked: () => boolean
  /** Changes what is known of the loop. */
  readonly change: (change: (state: SiteLoopState) => SiteLoopState) => void
  /** Called as it begins to change something. */
  readonly onBegun: () => void
}

/** Makes a pass of a loop, and sees to the site while that changes something there (G12, G17). */
export function runPass(
  site: SiteWorld,
  { wanted, look }: Offer,
  trigger: Trigger,
  options: RunningPassOptions,
): RunningPass {
  const { spared, change } = options
  let meanwhile: Meanwhile | undefined
  /** Who asked for something since the pass began; undefined: nobody did. */
  let askedBy: AskedBy | undefined
  /** Whether the pass has ended, and only what runs beside it has not. */
  let isOver = false

  const note = (next: (running: UnderWay) => UnderWay) =>
    change(state => (state.running === undefined ? state : { ...state, running: next(state.running) }))
  const onEvent = (event: StepEvent) => note(running => afterEvent(running, event))

  /** Has judged what is wanted by now, which may end the waits of the pass. */
  const tell = async (seen: Meanwhile, by: AskedBy) => {
    const { wanted: newer, look: judged } = options.newest()
    const isKnown = await seen.offered(newer, by)
    if (isKnown && seen === meanwhile) change(state => ({ ...state, judged }))
    options.onKnown?.()
  }

  const run = async () => {
    using superseding = linkedAbort(options.signal)
    let isTold = mayBeOver(options.last)
    let passId: number | undefined

    /** Sees to the site from now on, because the pass begins to change something there. */
    const begin = (changes: readonly Change[], begun: Begun) => {
      passId = begun.passId
      if (changes.length === 0) return
      const { nowMs } = site.world
      const { revision } = wanted.desired
      const found = () => begun.standing().status
      change(state => ({
        ...state,
        running: underWayWith(state.running ?? {}, changes, found, revision, nowMs()),
        judged: look,
      }))
      const seen = seeTo(site, wanted, {
        ...{ changes, ...begun, isTold, spared, superseding, note, onEvent },
        ...{ settleMs: options.settleMs, signal: options.signal, random: options.random },
        onBeside: result => {
          if (result.results.length > 0) options.onBeside?.(result)
        },
        onStanding: last => {
          // The look came after all that earlier passes changed.
          change(({ isUnverified: _, ...known }) => ({
            ...known,
            last,
            lastEndedMs: last.endedMs ?? nowMs(),
          }))
          options.onKnown?.()
        },
      })
      meanwhile = seen
      options.onKnown?.()
      options.onBegun()
      // Something may have happened since the look.
      if (options.isAsked()) seen.heard(undefined)
      // It was asked for while the pass was still looking.
      if (askedBy !== undefined) void tell(seen, askedBy)
    }

    const result = await pass(
      site,
      wanted,
      {
        ...{ trigger, until: 'apply', isRepeated: true, keepsWaiting: true },
        ...(spared === undefined ? {} : { backingOff: spared.applications }),
        early: options.early,
        onLooked: options.onLooked,
        onJudged({ blocked, changes }, { wait, declined }) {
          const isLeft = blocked.length + wait.length + declined.length > 0
          isTold ||= isLeft || changes.some(({ held }) => held !== undefined)
        },
        onApply: begin,
        onSeen: () => note(running => afterSeen(running, site.engine.site)),
        onEnd(done) {
          meanwhile?.ended(done.change, done.result === 'applied')
          options.onDone?.(done, passId, site.world.nowMs())
        },
        seenSince: () => meanwhile?.seenSince(),
        onEvent,
        onTasks: now => note(running => afterLook(running, now)),
      },
      superseding.signal,
    )
    isOver = true
    await meanwhile?.end()
    meanwhile = undefined
    return result
  }

  return {
    heard: event => meanwhile?.heard(event),
    asked(by) {
      if (askedBy !== 'a-person') askedBy = by
      if (meanwhile === undefined) return
      if (isOver) meanwhile.breakOffRepairs()
      else void tell(meanwhile, by)
    },
    result: run(),
  }
}
