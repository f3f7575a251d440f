import type { EngineEvent } from '../../../../engine.ts'
import { type Change, keyOf } from '../../../../plan/change/change.ts'
import { goesOn } from '../../../../plan/change/walk.ts'
import type { StepEvent } from '../../../../state/pass/step-event.ts'
import type { LinkedAbort } from '../../../../wait/linked-abort.ts'
import { later, type Timer } from '../../../../wait/timer.ts'
import type { Wanted } from '../../../repository/desired.ts'
import { recordStanding } from '../../../site/record/standing.ts'
import type { PassResult } from '../../../site/result/pass-result.ts'
import type { SiteWorld } from '../../../site/site.ts'
import { guarded } from '../../guarded.ts'
import { afterChange, afterStanding, type UnderWay, withComing, withNewer } from '../../under-way.ts'
import type { Backoff } from '../spared.ts'
import { passesBeside } from './beside.ts'
import { type AskedBy, takeOver } from './take-over.ts'

/** What is seen to on a site while a pass changes something there, which may last for hours. */
export type Meanwhile = {
  /** Says that something happened to a container; undefined: nobody can say whether, or to which. */
  heard(event: EngineEvent | undefined): void
  /** Says what is wanted by now. Resolves once that is judged: whether it is known by then how the site stands. */
  offered(wanted: Wanted, asked: AskedBy): Promise<boolean>
  /**
   * Returns, if the site was looked at since the pass began and how it stands is on record, whether an application was seen
   * then as it came out of its change.
   */
  seenSince(): ((application: string) => boolean) | undefined
  /** Says that nothing more is done about one of the changes, and whether it was applied. */
  ended(change: Change, isApplied: boolean): void
  /** Breaks off what is repaired beside the pass, which has ended: something else is wanted by now. */
  breakOffRepairs(): void
  /** Resolves when nothing runs beside the pass any more. */
  end(): Promise<void>
}

export type MeanwhileOptions = {
  /** What the pass has begun. */
  readonly changes: readonly Change[]
  /** The pass, as it is on record. */
  readonly passId: number | undefined
  /** Returns how the site stood when they began. */
  readonly standing: () => PassResult
  /** Whether that says anything else than what is known. */
  readonly isTold: boolean
  /** What is left alone for a while because it failed before. */
  readonly spared: Backoff | undefined
  /** Ends the waits of the pass, so that the next one begins. */
  readonly superseding: LinkedAbort
  readonly signal: AbortSignal
  readonly settleMs: number
  readonly random: () => number
  /** Changes what is shown to be under way. */
  readonly note: (change: (running: UnderWay) => UnderWay) => void
  readonly onEvent: (event: StepEvent) => void
  /** Told of the end of each pass beside it. */
  readonly onBeside: (result: PassResult) => void
  /** Told how the site stands by now, which is on record. */
  readonly onStanding: (result: PassResult) => void
}

/** How long what ended of an application that is being changed may have been ended by that, and be told soon by its end. */
const ownStepsMs = 2_000

function hasEnded({ action }: EngineEvent): boolean {
  return action === 'die' || action === 'destroy' || action === 'pause'
}

/**
 * Sees to a site while a pass changes something there: other applications are repaired, what waits and what went wrong
 * is told, deployments go by what is found, and another pass takes over once it has a reason and can (G12, G13, G17, A32).
 */
export function seeTo(site: SiteWorld, wanted: Wanted, options: MeanwhileOptions): Meanwhile {
  const { changes, spared, superseding, note, onStanding } = options
  const { world } = site
  const spreading = () => world.memory.fleet.turns.spreadingOn(site.engine.site)
  const ended = new Set<Change>()
  const underWay = () => changes.filter(change => !ended.has(change))
  let newest = wanted
  const beside = passesBeside(site, {
    ...{ wanted: () => newest, underWay, spared, settleMs: options.settleMs, random: options.random },
    ...{ signal: options.signal, onEvent: options.onEvent, onResult: options.onBeside },
    onNews: now => note(running => ({ ...running, beside: now })),
  })
  // What cannot be recorded now does not end the pass: its end tells it.
  const stand = guarded(
    world.log,
    'what waits cannot be recorded',
    (found: PassResult, by: Wanted, busy: readonly Change[]) => {
      const isBusy = (application: string) => busy.some(change => change.application === application)
      const begun = { passId: options.passId, standing: options.standing(), isBusy }
      const standing = recordStanding(site, by, found, begun)
      if (standing === undefined) return
      const { result, wasOnItsWay } = standing
      note(running => afterStanding(running, result.status, wasOnItsWay))
      beside.seenAnew()
      onStanding(result)
    },
  )
  let looking: Timer | undefined
  const isBusy = (name: string | undefined) => underWay().some(({ application }) => application === name)
  const isBegun = (application: string) => changes.some(change => change.application === application)
  if (options.isTold || [...spreading()].some(name => !isBegun(name)))
    stand(options.standing(), wanted, changes)
  /** What was changed, and seen since that ended; undefined: the site was not looked at since. */
  let seen: ReadonlySet<string> | undefined
  const judge = takeOver(site, wanted, {
    ...{ begun: changes, underWay, controller: superseding, signal: superseding.signal },
    spared: () => (spared && world.steadyMs() < spared.untilMs ? spared.applications : undefined),
    onWait: newer => {
      if (underWay().length > 0) note(running => withNewer(running, newer))
    },
    onStanding(found, by, busy, coming) {
      note(running => withComing(running, coming))
      stand(found, by, busy)
      const names = changes.map(({ application }) => application)
      const isOver = (name: string) => busy.every(({ application }) => application !== name)
      seen = new Set([...(seen ?? []), ...names.filter(isOver)])
    },
  })
  return {
    heard(event) {
      beside.heard(event?.application)
      if (event === undefined || !hasEnded(event) || !isBusy(event.application)) return
      looking ??= later(ownStepsMs, () => {
        looking = undefined
        if (underWay().length > 0) void judge(newest, 'nobody')
      })
    },
    offered(offer, asked) {
      newest = offer
      return judge(offer, asked)
    },
    ended(change, isApplied) {
      ended.add(change)
      if (underWay().length === 0) return
      note(running => afterChange(running, keyOf(change)))
      const isWhole = underWay().every(({ application }) => application !== change.application)
      // A deployment may wait for this, on other sites too (A32).
      const isAwaited = isWhole && spreading().has(change.application)
      // Or the next version on its way, which the same approval covers (X18).
      if (!isApplied || isAwaited || goesOn(change)) void judge(newest, 'nobody')
    },
    seenSince() {
      const all = seen
      return all && (application => all.has(application))
    },
    breakOffRepairs: beside.supersede,
    async end() {
      looking?.cancel()
      await beside.end()
    },
  }
}
