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
  /** Resolves when all that were told to end by now have. */
  ended(): Promise<void>
}

/**
 * Creates what knows of no loop that ends. Two loops never write to one site, and what one of them records as it ends is
 * on record before it is settled under which name that is known from now on.
 * @param settle settles what nothing that ends has to do with, and returns the names that wait for one another
 * @param onUnsettled told why that failed once a loop had ended: it has to be settled later
 */
export function createLeaving(
  settle: (environment: string, isEnding: (site: string) => boolean) => readonly (readonly string[])[],
  onUnsettled: (error: unknown) => void,
): Leaving {
  /** For each name, the end of all loops that had it. */
  const endings = new Map<string, Promise<void>>()
  const waiting = new Map<() => void, string>()
  let unsettled: ReadonlySet<string> = new Set()
  let environment: string | undefined
  const mayBegin = (site: string) => !endings.has(site) && !unsettled.has(site)
  const settleNow = (name: string) => {
    environment = name
    unsettled = new Set(settle(name, site => endings.has(site)).flat())
    for (const [begin, site] of waiting) if (mayBegin(site)) begin()
  }
  return {
    leave(site, ended) {
      const over = Promise.all([endings.get(site), ended]).then(() => {
        if (endings.get(site) === over) endings.delete(site)
        try {
          if (environment !== undefined) settleNow(environment)
        } catch (error) {
          onUnsettled(error)
        }
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
    ended: async () => void (await Promise.all(endings.values())),
  }
}
