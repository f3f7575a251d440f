/** Which plans of sites a plan was put together from that was shown. Losing it costs only a second answer. */
export type ShownPlans = {
  note(id: string, ofSites: readonly string[]): void
  /** Empty: it was not shown, or long ago. */
  of(id: string): readonly string[]
}

/** People answer what they see, and not what was shown long before. */
const remembered = 32

/** Creates the memory of an environment of which nothing was shown yet. */
export function createShownPlans(): ShownPlans {
  const known = new Map<string, readonly string[]>()
  return {
    note(id, ofSites) {
      known.delete(id)
      known.set(id, ofSites)
      const [oldest] = known.keys()
      if (known.size > remembered && oldest !== undefined) known.delete(oldest)
    },
    of: id => known.get(id) ?? [],
  }
}
