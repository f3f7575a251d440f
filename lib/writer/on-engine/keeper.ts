import { Failure } from '../../errors.ts'
import { later, sleep, type Timer } from '../../wait/timer.ts'
import type { EngineClaim } from './claim.ts'
import type { Traces } from './marks.ts'
import type { Aim, Holding, Whose } from './take-claim.ts'

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
  /** The same for whoever may have nothing to change: where nobody has the claim, it is left to `secure` and `hold`. */
  glance(isPatient: boolean, signal: AbortSignal): Promise<Whose>
  /** Begins to make a claim that nobody has, for a change that is likely: it takes less time once that comes. */
  prepare(): void
  /** Whether the claim was ours when the engine was asked last, and the engine answered. Asks nothing. */
  isOurs(): boolean
  /**
   * Resolves if the claim is ours for certain, and makes it if nobody has it. Fails with `another-writer` if it is not, or
   * if another one had it or wrote since the last `take` or `glance`: whatever was planned since then is void.
   */
  secure(): Promise<void>
  /** The same for whoever is about to write. */
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
  /** Told whenever the claim is won or lost, or another one had it meanwhile, or the engine no longer says whose it is. */
  readonly onNews: () => void
  /** Returns why nothing is written. Without a holder, another one wrote, and has ended. */
  readonly whyNot: (holder: EngineClaim | undefined) => Failure
}

/** Giving up must not hold up the end of the process: who waits then takes the claim a little later. */
const releaseMs = 5_000

/** Creates a keeper that has not looked yet. Its timer does not keep the process from ending. */
export function createKeeper({ holding, pace, random, sinceBootMs, onNews, whyNot }: KeeperOptions): Keeper {
  const [ending, late] = [new AbortController(), new AbortController()]
  const { traces } = holding
  let underWay: Promise<Whose> | undefined
  let is: Whose['is'] | 'unknown' = 'unknown'
  let holder: EngineClaim | undefined
  let timer: Timer | undefined
  let hasWritten = false
  let marking: Promise<void> | undefined
  let isReleased = false

  /** Whoever wants to look while somebody looks is told the same. */
  const lookOnce = (aim: Aim): Promise<Whose> => {
    const { hasNews } = traces
    underWay ??= holding
      .look(aim, ending.signal)
      .then(
        whose => {
          holder = whose.is === 'theirs' ? whose.holder : undefined
          learn(whose.is, traces.hasNews && !hasNews)
          arm()
          return whose
        },
        error => {
          learn('unknown', false)
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
  const look = async (aim: Aim): Promise<Whose> => {
    const whose = await lookOnce(aim)
    return whose.is === 'free' && aim !== 'glance' ? lookOnce(aim) : whose
  }
  const learn = (now: typeof is, hasNews: boolean) => {
    const isNews = (is !== now || hasNews) && is !== 'unknown'
    is = now
    if (isNews && !isReleased) onNews()
  }
  /** The first wait is shorter by chance, so that the looks at many engines do not come together. */
  const arm = () => {
    if (isReleased || is === 'free') return
    const { lookMs, waitMs } = pace()
    const everyMs = is === 'ours' ? lookMs : waitMs
    const delayMs = timer === undefined ? everyMs * (0.5 + random() / 2) : everyMs
    timer?.cancel()
    timer = later(delayMs, () => void look('take').catch(() => undefined))
    timer.unref()
  }
  const takeFirst = async (first: Aim, isPatient: boolean, signal: AbortSignal): Promise<Whose> => {
    const untilMs = sinceBootMs() + 2 * pace().deadMs
    for (let aim = first; ; aim = 'take') {
      const whose = await look(aim)
      if (whose.is !== 'theirs') {
        traces.hasNews = false
        return whose
      }
      if (!isPatient || whose.isAlive || sinceBootMs() > untilMs) return whose
      await sleep(pace().waitMs, signal)
    }
  }
  const secure = async () => {
    if (traces.hasNews) throw whyNot(holder)
    const { freshMs, leaseMs } = pace()
    if (holding.ageMs() <= freshMs) return
    const whose = await look('go on')
    if (whose.is === 'theirs' || traces.hasNews) throw whyNot(holder)
    if (holding.ageMs() > leaseMs)
      throw new Failure('engine-unreachable', 'the engine took too long to say who writes there')
  }
  return {
    take: (isPatient, signal) => takeFirst('take', isPatient, signal),
    glance: (isPatient, signal) => takeFirst('glance', isPatient, signal),
    prepare: () => void look('go on').catch(() => undefined),
    isOurs: () => is === 'ours',
    traces,
    marks: holding.marks,
    secure,
    async hold() {
      await secure()
      hasWritten = true
      marking ??= holding.leaveMark(late.signal).catch(() => undefined)
    },
    async release() {
      isReleased = true
      timer?.cancel()
      const limit = later(releaseMs, () => {
        ending.abort()
        late.abort()
      })
      // What the engine is making would be there after it was to be removed.
      if (!holding.mayBeThere()) ending.abort()
      await underWay?.catch(() => undefined)
      await marking
      await holding.release(hasWritten, late.signal).catch(() => undefined)
      limit.cancel()
      is = 'unknown'
    },
  }
}
