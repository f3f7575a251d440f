import { foldFor } from '../../../memo/fold-for.ts'
import { withoutSuperseded } from '../../../state/fleet/facts-that-count.ts'
import type { BatchDrawn, RunFact } from '../../../state/fleet/run.ts'
import { type Evidence, evidenceAfter, noEvidence } from './evidence.ts'
import { type Hindrance, hinderedAfter } from './hindrance.ts'
import { type Stops, stopsAfter } from './run-facts.ts'
import { noSiteTimes, type SiteTimes } from './site-times.ts'

/** What the facts of a run come to, whichever sites there are, whatever they could do now, and whenever it is asked. */
export type Gist = {
  /** When each site reached the version last. */
  readonly reachedMs: SiteTimes
  /** The sites that had the version with another content when the run began. */
  readonly had: ReadonlySet<string>
  /** All batches that were drawn, the last one last. */
  readonly batches: readonly BatchDrawn[]
  /** When each site was given the version last, as it is on record, also if the deployment did not mean it for a while since. */
  readonly givenMs: SiteTimes
  /** The sites on which it failed, also before a person said that it goes on. */
  readonly failed: ReadonlySet<string>
  /** Whether a person has ever let the others follow a batch. */
  readonly isLetGo: boolean
  readonly evidence: Evidence
  readonly hindered: ReadonlyMap<string, Hindrance>
  readonly stops: Stops
}

const gists = foldFor<RunFact, Gist>(
  () => ({
    ...{ reachedMs: noSiteTimes(), had: new Set(), batches: [], givenMs: noSiteTimes(), failed: new Set() },
    ...{ isLetGo: false, evidence: noEvidence(), hindered: new Map(), stops: {} },
  }),
  gistAfter,
)

/** Returns what facts come to, in the order in which they happened. Goes through the same list once. Pure. */
export const gistOf: (facts: readonly RunFact[]) => Gist = gists.of

/**
 * Returns facts with what happened after them. What all of them come to follows from what the former came to: where a
 * thousand sites have reached a version, that is not gone through again for the next one. Pure.
 */
export const factsWith: (facts: readonly RunFact[], more: readonly RunFact[]) => readonly RunFact[] =
  gists.followed

/** Returns facts without what says nothing any more. They come to the same. Pure. */
export function lastingFacts(facts: readonly RunFact[]): readonly RunFact[] {
  return gists.isAlike(withoutSuperseded(facts), facts)
}

function gistAfter(before: Gist, facts: readonly RunFact[]): Gist {
  const [reachedMs, givenMs] = [before.reachedMs.copy(), before.givenMs.copy()]
  const [batches, failed] = [[...before.batches], new Set(before.failed)]
  let { had, isLetGo } = before
  for (const fact of facts) {
    if (fact.kind === 'reached') reachedMs.set(fact.site, fact.atMs)
    else if (fact.kind === 'failed') failed.add(fact.site)
    else if (fact.kind === 'word') isLetGo ||= fact.word === 'continue'
    else if (fact.kind === 'batch' || fact.kind === 'had') {
      if (fact.kind === 'batch') batches.push(fact)
      else had = new Set([...had, ...fact.sites])
      const atMs = fact.recordedMs ?? fact.atMs
      for (const site of fact.sites) givenMs.set(site, atMs)
      for (const site of fact.left ?? []) givenMs.set(site, atMs)
    }
  }
  return {
    ...{ reachedMs, had, batches, givenMs, failed, isLetGo },
    evidence: evidenceAfter(before.evidence, facts),
    hindered: hinderedAfter(before.hindered, facts),
    stops: stopsAfter(before.stops, facts),
  }
}
