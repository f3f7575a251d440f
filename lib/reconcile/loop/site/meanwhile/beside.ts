import { Failure } from '../../../../errors.ts'
import { type Change, keyOf } from '../../../../plan/change/change.ts'
import type { StepEvent } from '../../../../state/pass/step-event.ts'
import { type LinkedAbort, linkedAbort } from '../../../../wait/linked-abort.ts'
import { later, sleep, type Timer } from '../../../../wait/timer.ts'
import type { Wanted } from '../../../repository/desired.ts'
import { pass } from '../../../site/pass.ts'
import type { PassResult } from '../../../site/result/pass-result.ts'
import type { SiteWorld } from '../../../site/site.ts'
import { createSiteMemory } from '../../../site/site-memory.ts'
import { withRoom } from '../../../site/with-room.ts'
import type { UnderWayBeside } from '../../under-way.ts'
import { createWake } from '../../wake.ts'
import { type Backoff, backoffAfter, sparedBy } from '../spared.ts'

/** The passes beside one that changes some applications of its site, which may last for hours (G17). */
export type PassesBeside = {
  /** Says that something happened to a container of an application; undefined: nobody can say whether, or to which. */
  heard(application: string | undefined): void
  /** Says that the whole site was looked at meanwhile: what these passes found is older. */
  seenAnew(): void
  /** Breaks off the one that runs, because something else is wanted by now. */
  supersede(): void
  /** Resolves when none runs any more. No other one begins. */
  end(): Promise<void>
}

/** What passes beside another one work with. */
export type BesideOptions = {
  /** What is wanted by now. */
  readonly wanted: () => Wanted
  /** What the other pass changes, and has not ended with. */
  readonly underWay: () => readonly Change[]
  /** What is left alone for a while because it failed before the other pass began. */
  readonly spared: Backoff | undefined
  readonly signal: AbortSignal
  /** How long a burst of events is waited for, in ms. */
  readonly settleMs: number
  readonly random: () => number
  readonly onNews: (now: UnderWayBeside) => void
  readonly onEvent: (event: StepEvent) => void
  /** Told of the end of each one. */
  readonly onResult: (result: PassResult) => void
}

/** The least time between two looks for which nobody can say that anything happened, in ms. */
const restMs = 5_000

/**
 * Lets passes beside another one be made, one at a time. Each looks at the site, and repairs what was removed or stopped
 * of applications that are not being changed. What happens to those that are is no reason to look.
 */
export function passesBeside(site: SiteWorld, options: BesideOptions): PassesBeside {
  const { underWay, signal, settleMs, random } = options
  const { world } = site
  // What the site is found to need is another plan than that of the other pass.
  const { convergence, surroundings } = createSiteMemory()
  const apart = { ...site, memory: { ...site.memory, convergence, surroundings } }
  const ending = linkedAbort(signal)
  const wake = createWake<true>(ending.signal, () => true)
  let [lookedMs, resting]: [number, Timer | undefined] = [world.steadyMs(), undefined]
  let running: LinkedAbort | undefined
  let looping: Promise<void> | undefined
  let news: UnderWayBeside = { changes: [], found: [] }
  const busyNow = () => new Set(underWay().map(({ application }) => application))
  const tell = (more: Partial<UnderWayBeside>) => {
    news = { ...news, ...more }
    options.onNews(news)
  }
  const once = async (spared: Backoff | undefined): Promise<PassResult> => {
    using breaking = linkedAbort(signal)
    running = breaking
    const result = await withRoom(apart, onLooked => {
      // What ends after the look at the site was seen as it was on its way there.
      const busy = busyNow()
      const isBusy = (name: string) => busy.has(name)
      return pass(
        apart,
        options.wanted(),
        {
          ...{ trigger: 'engine-event', until: 'apply', keepsWaiting: true, claimed: { state: 'ours' } },
          ...(spared === undefined ? {} : { backingOff: spared.applications }),
          beside: {
            isBusy,
            onFound: found => tell({ found: found.filter(({ application }) => !isBusy(application)) }),
          },
          onLooked,
          onApply: changes => tell({ changes: changes.map(keyOf) }),
          onEvent: options.onEvent,
        },
        breaking.signal,
      )
    })
    running = undefined
    tell({ changes: [] })
    return result
  }

  const loop = async () => {
    let backoff = options.spared
    while (!ending.signal.aborted) {
      await wake.next(backoff && Math.max(0, backoff.untilMs - world.steadyMs()), true)
      await sleep(settleMs, ending.signal).catch(() => undefined)
      wake.begin()
      if (ending.signal.aborted) return
      const spared = sparedBy('engine-event', backoff, true, world.steadyMs())
      const result = await once(spared)
      lookedMs = world.steadyMs()
      backoff = backoffAfter({
        ...{ result, spared, before: backoff, pollMs: undefined },
        ...{ steadyMs: lookedMs, nowMs: world.nowMs(), random: random() },
      })
      options.onResult(result)
    }
  }

  const ask = () => {
    wake.ask(true)
    looping ??= loop()
  }
  return {
    heard(application) {
      if (ending.signal.aborted || (application !== undefined && busyNow().has(application))) return
      if (application !== undefined) return ask()
      resting ??= later(Math.max(0, lookedMs + restMs - world.steadyMs()), () => {
        resting = undefined
        ask()
      })
    },
    seenAnew: () => tell({ found: [] }),
    supersede: () => running?.abort(new Failure('superseded', 'something else is wanted by now')),
    async end() {
      ending.abort()
      resting?.cancel()
      await looping
    },
  }
}
