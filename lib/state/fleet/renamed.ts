import type { RecordedFact, RunFact } from './run.ts'

/**
 * Returns what happened in a run, with each site under its present name: a site is its connection, and keeps its place
 * under another name (A25). A name that another site bears later means that one from then on. Pure.
 */
export function inPresentNames(recorded: readonly RecordedFact[]): readonly RunFact[] {
  let facts: RunFact[] = []
  for (const one of recorded) {
    if (one.kind !== 'renamed') facts.push(one)
    else facts = facts.map(fact => called(fact, site => (site === one.site ? one.to : site)))
  }
  return facts
}

function called(fact: RunFact, nameOf: (site: string) => string): RunFact {
  if ('sites' in fact) return { ...fact, sites: fact.sites.map(nameOf) }
  return 'site' in fact ? { ...fact, site: nameOf(fact.site) } : fact
}
