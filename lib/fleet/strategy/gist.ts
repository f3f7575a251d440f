import { onceFor } from '../../memo/once-for.ts'
import type { BatchDrawn, RunFact } from '../../state/fleet/run.ts'
import { type Evidence, evidenceIn } from './evidence.ts'
import { type Hindrance, hinderedIn } from './hindrance.ts'
import { type Stop, stopOf } from './run-facts.ts'

/** What the facts of a run come to, whichever sites there are, whatever they could do now, and whenever it is asked. */
export type Gist = {
  /** When each site reached the version last, in the order in which they did so first. */
  readonly reachedMs: ReadonlyMap<string, number>
  /** The sites that had the version with another content when the run began. */
  readonly had: ReadonlySet<string>
  /** All batches that were drawn, the last one last. */
  readonly batches: readonly BatchDrawn[]
  /** When each site was given the version last, as it is on record, also if the deployment did not mean it for a while since. */
  readonly givenMs: ReadonlyMap<string, number>
  /** The sites on which it failed, also before a person said that it goes on. */
  readonly failed: ReadonlySet<string>
  /** Whether a person has ever let the others follow a batch. */
  readonly isLetGo: boolean
  readonly evidence: Evidence
  readonly hindered: ReadonlyMap<string, Hindrance>
  readonly stop: Stop | undefined
}

/** Returns what facts come to, in the order in which they happened. Goes through the same list once. Pure. */
export const gistOf: (facts: readonly RunFact[]) => Gist = onceFor(facts => {
  const reachedMs = new Map<string, number>()
  const had = new Set<string>()
  const batches: BatchDrawn[] = []
  const givenMs = new Map<string, number>()
  const failed = new Set<string>()
  let isLetGo = false
  for (const fact of facts) {
    if (fact.kind === 'reached') reachedMs.set(fact.site, fact.atMs)
    else if (fact.kind === 'failed') failed.add(fact.site)
    else if (fact.kind === 'word') isLetGo ||= fact.word === 'continue'
    else if (fact.kind === 'batch' || fact.kind === 'had') {
      if (fact.kind === 'batch') batches.push(fact)
      else for (const site of fact.sites) had.add(site)
      for (const site of [...fact.sites, ...(fact.left ?? [])])
        givenMs.set(site, fact.recordedMs ?? fact.atMs)
    }
  }
  const [evidence, hindered, stop] = [evidenceIn(facts), hinderedIn(facts), stopOf(facts)]
  return { reachedMs, had, batches, givenMs, failed, isLetGo, evidence, hindered, stop }
})
