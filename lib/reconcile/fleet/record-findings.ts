import type { PassResult } from '../site/pass-result.ts'
import type { World } from '../world.ts'
import { findingsOf } from './progress.ts'

/** Records what a pass over a site says about the deployments of its environment. */
export function recordFindings({ journal, memory, nowMs }: World, result: PassResult): void {
  const { site, plan, status } = result
  if (site === undefined) return
  if (plan !== undefined && !plan.unseen.includes(site)) memory.fleet.setSeen(site, status, nowMs())
  const turns = memory.fleet.turns()
  if (turns.length === 0) return
  const found = findingsOf(turns, memory.fleet.hasReached, result, nowMs())
  for (const { application, isReady, isQuiet, fact } of found) {
    const run = turns.find(({ deployment }) => deployment.application === application)?.run
    const isHeard =
      isQuiet !== undefined &&
      memory.fleet.setQuiet(application, site, isQuiet ? run?.of.version : undefined) &&
      run?.stand.open.has(site) === false
    const isNews = memory.fleet.setReady(application, site, isReady) || isHeard
    if (fact !== undefined && run !== undefined)
      journal.insist(() => {
        journal.addFact(run.of.id, fact)
        // Whoever forced it elsewhere did not know that it would fail (A66).
        if (fact.kind !== 'failed') return
        for (const version of [run.of.version, fact.step])
          if (version !== undefined) journal.endForced({ ...run.of, version })
      })
    if (fact?.kind === 'reached') memory.fleet.noteReached(application, site)
    memory.fleet.noteLooked(application, site)
    if (isNews || fact?.kind === 'failed' || fact?.kind === 'silent') memory.fleet.noteNews()
  }
}
