/** Through which sites of an environment registries are asked, each by its host. */
export type RegistryRoutes = {
  /** Returns the site through which a registry was reached last; undefined: through none, or nobody knows. */
  reachedThrough(host: string): string | undefined
  setReachedThrough(host: string, site: string): void
  /** Whose turns those are that a registry was not asked through. */
  readonly turns: RegistryTurns
}

/**
 * Whose turn it is to ask a registry that was not reached: not all sites of a large environment are asked at once, but
 * each in time. The turn counts up from 0.
 */
export type RegistryTurns = {
  now(host: string): number
  /** The next ones are as many further, unless somebody else found that out since `from`. */
  goOn(host: string, from: number, by: number): void
}

export function createRegistryTurns(): RegistryTurns {
  const turns = new Map<string, number>()
  const now = (host: string) => turns.get(host) ?? 0
  return {
    now,
    goOn(host, from, by) {
      if (now(host) === from) turns.set(host, from + by)
    },
  }
}
