import type { Outcome } from '../../../state/pass/outcome.ts'
import { recordFindings } from '../../fleet/record-findings.ts'
import { recordWanted } from '../../repository/record-wanted.ts'
import { keptOf, stateAfter } from '../../status/last-state.ts'
import type { World } from '../../world.ts'
import { resultsBySite } from '../result/join-results.ts'
import type { PassResult } from '../result/pass-result.ts'
import { endPass } from './end-pass.ts'

/**
 * Records a plan that a command showed to somebody who has not confirmed it, as the pass of a daemon would: it waits,
 * and can be approved or discarded by its id (D4). It counts as wanted, because a later version may lead on from it
 * alone (A65). Nothing of it is carried out, so no engine is asked who writes there.
 */
export async function recordUnconfirmed(world: World, planned: PassResult): Promise<void> {
  await recordWanted(world, {})
  for (const part of resultsBySite(planned)) recordPart(world, part)
}

function recordPart(world: World, part: PassResult): void {
  const { journal, memory, nowMs } = world
  const { site, plan, desired, waiting } = part
  if (site === undefined || plan === undefined || desired === undefined) return
  const { environment } = desired
  const { revision } = plan
  recordFindings(world, part)
  const result = { ...part, outcome: outcomeOfLook(part) }
  const newest = memory.commits.lookedUp()?.commit
  journal.atOnce(() => {
    const passId = journal.beginPass({ environment, site, trigger: 'command', revision, atMs: nowMs() })
    if (plan.changes.length > 0) journal.setPlan(passId, { ...plan, revision })
    if (waiting.length === 0) journal.clearWaiting(environment, site)
    else journal.wait({ environment, site, planId: plan.id, passId, sinceMs: nowMs() })
    endPass(world, passId, result, () => {
      const state = stateAfter(keptOf(journal, environment, site), result, newest, nowMs())
      if (state !== undefined) journal.keepState(environment, site, state, state.isSeen ? nowMs() : undefined)
    })
  })
}

function outcomeOfLook({ outcome, waiting, plan, errors }: PassResult): Outcome {
  if (waiting.length > 0) return 'needs-confirmation'
  return plan?.changes.length === 0 && errors.length === 0 ? 'in-sync' : outcome
}
