import { later, type Timer } from '../../wait/timer.ts'

/** The loops that still end of sites that the environment left, and the sites that wait for that. */
export type Leaving = {
  /** Notes that the loop of a site is told to end. `ended`: resolves once it has, and never rejects. */
  leave(site: string, ended: Promise<void>): void
  /** Settles what is on record of the sites that went, and lets those begin that waited only for that, or fails. */
  settle(environment: string): void
  /**
   * Resolves once a site may begin: no loop that had its name still ends, and what is on record of the names that wait for
   * one another with it is settled. Or once its signal aborts.
   */
  after(site: string, signal: AbortSignal): Promise<void>
  /** Resolves when all that were told to end by now have, and what is on record of them was settled if it could be. */
  ended(): Promise<void>
}

export type LeavingOptions = {
  readonly steadyMs: () => number
  /** Told why it could not be settled once a loop had ended: that has to be done later. */
  readonly onUnsettled: (error: unknown) => void
}

/**
 * To settle takes longer the more sites there are, and thousands may leave at once. So what ends within so many times as
 * long as settling took last is settled together (G17).
 */
const rests = 10

/**
 * Creates what knows of no loop that ends. Two loops never write to one site, and what one of them records as it ends is
 * on record before it is settled under which name that is known from now on.
 * @param settle settles what nothing that ends has to do with, and returns the names that wait for one another
 */
export function createLeaving(
  settle: (environment: string, isEnding: (site: string) => boolean) => readonly (readonly string[])[],
  { steadyMs, onUnsettled }: LeavingOptions,
): Leaving {
  /** For each name, the end of all loops that had it. */
  const endings = new Map<string, Promise<void>>()
  const waiting = new Map<() => void, string>()
  let unsettled: ReadonlySet<string> = new Set()
  let environment: string | undefined
  const mayBegin = (site: string) => !endings.has(site) && !unsettled.has(site)
  let resting: Timer | undefined
  let restsUntilMs = 0
  const settleNow = (name: string) => {
    resting?.cancel()
    resting = undefined
    environment = name
    const beganMs = steadyMs()
    unsettled = new Set(settle(name, site => endings.has(site)).flat())
    const endedMs = steadyMs()
    restsUntilMs = endedMs + rests * (endedMs - beganMs)
    for (const [begin, site] of waiting) if (mayBegin(site)) begin()
  }
  const settleAnew = () => {
    if (environment === undefined) return
    try {
      settleNow(environment)
    } catch (error) {
      onUnsettled(error)
    }
  }
  const settleSoon = () => {
    const restMs = restsUntilMs - steadyMs()
    if (restMs <= 0) settleAnew()
    else resting ??= later(restMs, settleAnew)
  }
  return {
    leave(site, ended) {
      const over = Promise.all([endings.get(site), ended]).then(() => {
        if (endings.get(site) === over) endings.delete(site)
        settleSoon()
      })
      endings.set(site, over)
    },
    settle: settleNow,
    async after(site, signal) {
      if (signal.aborted || mayBegin(site)) return
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(resolve, site)
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      waiting.delete(resolve)
    },
    async ended() {
      await Promise.all(endings.values())
      if (resting !== undefined) settleAnew()
    },
  }
}
