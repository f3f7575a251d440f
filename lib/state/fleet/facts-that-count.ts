import type { RecordedFact } from './run.ts'

/**
 * Returns what happened in a run without what says nothing any more, because a site has reached the version once more
 * since, or nothing hinders it any more: where the run stands, and where it will stand after whatever happens next, is the
 * same. So a site that goes and comes back again and again, in a run that never ends, leaves no more than one that did so
 * once. In the same order. Pure.
 */
export function withoutSuperseded<One extends RecordedFact>(facts: readonly One[]): readonly One[] {
  const later: Later = { reached: new Map(), freed: new Set() }
  const kept: One[] = []
  for (const fact of facts.toReversed()) {
    if (isSuperseded(fact, later)) continue
    kept.push(fact)
    if (fact.kind === 'reached') later.reached.set(fact.site, howOf(fact))
    else if (fact.kind === 'hindered' && fact.untilMs === undefined) later.freed.add(fact.site)
    else if (!isOfOneSite(fact)) {
      later.reached.clear()
      later.freed.clear()
    }
  }
  return kept.toReversed()
}

/** Whether a fact says something of one site alone, and what happens on others is read without it. */
export function isOfOneSite({ kind }: Pick<RecordedFact, 'kind'>): boolean {
  return kind === 'reached' || kind === 'stopped' || kind === 'silent' || kind === 'hindered'
}

/** What happens on sites after what is being looked at, until something happens that goes by what all of them had. */
type Later = {
  /** How each of them reaches the version next. */
  readonly reached: Map<string, 'own' | 'common'>
  /** Those that nothing hinders any more. */
  readonly freed: Set<string>
}

function isSuperseded(fact: RecordedFact, { reached, freed }: Later): boolean {
  switch (fact.kind) {
    case 'reached':
      return fact.isEnd !== true && reached.get(fact.site) === howOf(fact)
    case 'stopped':
      return fact.isEnd !== true && reached.has(fact.site)
    case 'silent':
      return reached.has(fact.site)
    case 'hindered':
      return reached.has(fact.site) || freed.has(fact.site)
    case 'had':
    case 'batch':
    case 'failed':
    case 'word':
    case 'renamed':
    case 'joined':
      return false
  }
}

function howOf({ isOwn }: { readonly isOwn?: true }): 'own' | 'common' {
  return isOwn === true ? 'own' : 'common'
}
