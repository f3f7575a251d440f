import { Failure } from '../../errors.ts'
import { later, sleep, type Timer } from '../../wait/timer.ts'
import type { Holding, Traces, Whose } from './holding.ts'

/** How often the holder of a claim and those who wait for it look at the engine. All in milliseconds. */
export type Pace = {
  /** How often the holder looks whether it still is, and whether somebody asks. */
  readonly lookMs: number
  /** How often somebody looks who waits for the claim. */
  readonly waitMs: number
  /** How long a holder may leave a question unanswered. Longer than `leaseMs` by much, and than `lookMs`. */
  readonly deadMs: number
  /** A step of a plan begins only if the engine said no longer ago than this that the claim is ours, or says so again. */
  readonly freshMs: number
  /** The same for an engine that is slow to answer. */
  readonly leaseMs: number
}

/** Keeps the claim on one environment on one engine: looks again and again from the first time it is taken. */
export type Keeper = {
  /**
   * Takes the claim unless another process has it. That one is asked whether it is alive. `isPatient`: waits for the
   * answer, and takes the claim if none comes. Fails if the engine does not say whose it is.
   */
  take(isPatient: boolean, signal: AbortSignal): Promise<Whose>
  /** Whether the claim was ours when the engine was asked last, and the engine answered. Asks nothing. */
  isOurs(): boolean
  /** Resolves if the claim is ours for certain. Fails with `another-writer` if it is not. */
  hold(): Promise<void>
  /** What was seen of the claim, and of others who wrote or may have, since it was forgotten last. */
  readonly traces: Traces
  /** The marks of all who wrote before, as the engine listed them last, and that which this process leaves if it writes. */
  marks(): readonly string[]
  /** Gives the claim up. Does nothing more afterwards. */
  release(): Promise<void>
}

export type KeeperOptions = {
  readonly holding: Holding
  readonly pace: () => Pace
  readonly random: () => number
  readonly sinceBootMs: () => number
  /** Told whenever the claim is won or lost, or the engine no longer says whose it is. */
  readonly onNews: () => void
  /** Returns why nothing is written. */
  readonly whyNot: (whose: Extract<Whose, { readonly is: 'theirs' }>) => Failure
}

/** Giving up must not hold up the end of the process: who waits then takes the claim a little later. */
const releaseMs = 5_000

/** Creates a keeper that has not looked yet. Its timer does not keep the process from ending. */
export function createKeeper({ holding, pace, random, sinceBootMs, onNews, whyNot }: KeeperOptions): Keeper {
  const ending = new AbortController()
  let underWay: Promise<Whose> | undefined
  let is: Whose['is'] | 'unknown' = 'unknown'
  let timer: Timer | undefined
  let hasWritten = false

  /** Whoever wants to look while somebody looks is told the same. */
  const look = (): Promise<Whose> => {
    underWay ??= holding
      .look(ending.signal)
      .then(
        whose => {
          learn(whose.is)
          arm()
          return whose
        },
        error => {
          learn('unknown')
          // A step may last for minutes, and others wait for an answer no longer than this. After that, whoever makes
          // the next pass asks again, so that an engine that is silent is left alone.
          if (holding.ageMs() < pace().deadMs) arm()
          throw error
        },
      )
      .finally(() => {
        underWay = undefined
      })
    return underWay
  }
  const learn = (now: typeof is) => {
    const isNews = is !== now && is !== 'unknown'
    is = now
    if (isNews && !ending.signal.aborted) onNews()
  }
  /** The first wait is shorter by chance, so that the looks at many engines do not come together. */
  const arm = () => {
    if (ending.signal.aborted) return
    const { lookMs, waitMs } = pace()
    const everyMs = is === 'ours' ? lookMs : waitMs
    const delayMs = timer === undefined ? everyMs * (0.5 + random() / 2) : everyMs
    timer?.cancel()
    timer = later(delayMs, () => void look().catch(() => undefined))
    timer.unref()
  }
  return {
    async take(isPatient, signal) {
      const untilMs = sinceBootMs() + 2 * pace().deadMs
      for (;;) {
        const whose = await look()
        if (!isPatient || whose.is === 'ours' || whose.isAlive || sinceBootMs() > untilMs) return whose
        await sleep(pace().waitMs, signal)
      }
    },
    isOurs: () => is === 'ours',
    traces: holding.traces,
    marks: holding.marks,
    async hold() {
      hasWritten = true
      const { freshMs, leaseMs } = pace()
      if (holding.ageMs() <= freshMs) return
      const whose = await look()
      if (whose.is === 'theirs') throw whyNot(whose)
      if (holding.ageMs() > leaseMs)
        throw new Failure('engine-unreachable', 'the engine took too long to say who writes there')
    },
    async release() {
      ending.abort()
      timer?.cancel()
      await underWay?.catch(() => undefined)
      const late = new AbortController()
      const limit = later(releaseMs, () => late.abort())
      await holding.release(hasWritten, late.signal).catch(() => undefined)
      limit.cancel()
    },
  }
}
