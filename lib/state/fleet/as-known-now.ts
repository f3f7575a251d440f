import { optional } from '../../object.ts'
import type { RecordedFact, RunFact, SitesJoined } from './run.ts'

/**
 * Returns what happened in a run, as it is known now. Each site has its present name: a site is its connection, and keeps
 * its place under another name (A25). A name that another site bears later means that one from then on. What happened on
 * a site before it joined counts no more, except that the version failed there: the site begins anew. Pure.
 */
export function asKnownNow(recorded: readonly RecordedFact[]): readonly RunFact[] {
  let facts: RunFact[] = []
  for (const one of recorded) {
    if (one.kind === 'renamed') facts = facts.map(fact => called(fact, one.site, one.to))
    else if (one.kind === 'joined') facts = withoutPast(facts, one)
    else facts.push(one)
  }
  return facts
}

function called(fact: RunFact, site: string, to: string): RunFact {
  const nameOf = (one: string) => (one === site ? to : one)
  if ('sites' in fact)
    return { ...fact, sites: fact.sites.map(nameOf), ...optional('left', fact.left?.map(nameOf)) }
  return 'site' in fact ? { ...fact, site: nameOf(fact.site) } : fact
}

function withoutPast(facts: readonly RunFact[], { sites }: SitesJoined): RunFact[] {
  const joined = new Set(sites)
  const isJoined = (site: string) => joined.has(site)
  const hasStayed = (site: string) => !isJoined(site)
  return facts.flatMap((fact): readonly RunFact[] => {
    if (fact.kind === 'failed' || fact.kind === 'word') return [fact]
    if ('site' in fact) return isJoined(fact.site) ? [] : [fact]
    const stay = fact.sites.filter(hasStayed)
    if (stay.length === fact.sites.length) return [fact]
    return [{ ...fact, sites: stay, left: [...(fact.left ?? []), ...fact.sites.filter(isJoined)] }]
  })
}
