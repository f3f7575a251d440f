/** Through which sites of an environment registries are asked, each by its host. */
export type RegistryRoutes = {
  /** Returns the site through which a registry was reached last; undefined: through none, or nobody knows. */
  reachedThrough(host: string): string | undefined
  setReachedThrough(host: string, site: string): void
  /** Which sites come next, of those through which a registry was not asked. */
  readonly rotation: RegistryRotation
}

/**
 * Whose turn it is to ask a registry that was not reached: not all sites of a large environment are asked at once, but
 * each in time. The turn counts up from 0.
 */
export type RegistryRotation = {
  now(host: string): number
  /** The next ones are as many further, unless somebody else found that out since `from`. */
  goOn(host: string, from: number, by: number): void
}

export function createRegistryRotation(): RegistryRotation {
  const rotation = new Map<string, number>()
  const now = (host: string) => rotation.get(host) ?? 0
  return {
    now,
    goOn(host, from, by) {
      if (now(host) === from) rotation.set(host, from + by)
    },
  }
}
