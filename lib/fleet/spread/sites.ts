import { onceFor } from '../../memo/once-for.ts'

/** Sites of which it can be said whether one is among them. For thousands of them, no set is made. */
export type Sites = Iterable<string> & {
  has(site: string): boolean
  /** How many they are. */
  readonly size: number
}

/** Returns sites as a set. Those of a deployment are the same at most looks, and may be thousands. */
export const setOf: (sites: readonly string[]) => ReadonlySet<string> = onceFor(sites => new Set(sites))

/** Whether a site was drawn with the last of these batches. It is asked for each of thousands. */
export function isInLast(batches: readonly { readonly sites: readonly string[] }[], site: string): boolean {
  const last = batches.at(-1)
  return last !== undefined && setOf(last.sites).has(site)
}

type Which = { has(site: string): boolean }

/**
 * Returns those of the sites, in their order, which are among others.
 * @param all the same sites
 */
export function sitesIn(sites: readonly string[], all: Which, others: Which): Sites {
  return sitesOf(
    site => all.has(site) && others.has(site),
    () => sites.reduce((count, site) => (others.has(site) ? count + 1 : count), 0),
    function* () {
      for (const site of sites) if (others.has(site)) yield site
    },
  )
}

/** Returns the sites of both. */
export function withSites(many: Sites, few: readonly string[]): Sites {
  const others = new Set(few.filter(site => !many.has(site)))
  return sitesOf(
    site => many.has(site) || others.has(site),
    () => many.size + others.size,
    function* () {
      yield* many
      yield* others
    },
  )
}

/** They are counted once, when somebody asks: that may be on each of them. */
function sitesOf(has: Sites['has'], count: () => number, each: () => Iterator<string>): Sites {
  let size: number | undefined
  return {
    has,
    get size() {
      size ??= count()
      return size
    },
    [Symbol.iterator]: each,
  }
}
