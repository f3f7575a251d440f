import type { RunFact } from '../../../state/fleet/run.ts'

/** Since when a version has not come to a site for a reason that may go away, and when it fails if it still does not. */
export type Hindrance = { readonly sinceMs: number; readonly untilMs: number }

/**
 * Returns the sites that are hindered after further facts. A person's word that goes on gives each of them its time anew.
 * Pure.
 */
export function hinderedAfter(
  before: ReadonlyMap<string, Hindrance>,
  facts: readonly RunFact[],
): ReadonlyMap<string, Hindrance> {
  const hindered = new Map(before)
  for (const fact of facts) {
    if (fact.kind === 'hindered' && fact.untilMs !== undefined) {
      // A pass that did not know of the first finding yet does not give it more time.
      const known = hindered.get(fact.site)
      hindered.set(fact.site, known ?? { sinceMs: fact.atMs, untilMs: fact.untilMs })
    } else if (fact.kind === 'hindered' || fact.kind === 'reached') hindered.delete(fact.site)
    else if (fact.kind === 'word' && fact.word === 'resume') hindered.clear()
  }
  return hindered
}

/** Returns when the first of these sites fails if nothing changes; nothing if none is hindered. */
export function firstEnd(
  sites: readonly string[],
  hindered: ReadonlyMap<string, Hindrance>,
): { readonly untilMs?: number } {
  const ends = sites.flatMap(site => hindered.get(site)?.untilMs ?? [])
  const [first, ...others] = ends
  return first === undefined ? {} : { untilMs: others.reduce((least, end) => Math.min(least, end), first) }
}
