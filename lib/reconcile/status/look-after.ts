import type { Failure } from '../../errors.ts'
import { recordFindings } from '../fleet/findings/record-findings.ts'
import { environmentName } from '../repository/identity/environment-name.ts'
import { round } from '../round.ts'
import { resultsBySite } from '../site/result/join-results.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import type { World } from '../world.ts'
import { keptOf, stateAfter } from './last-state.ts'

/**
 * Records the state after a pass that changed something, and what it says about deployments, for a command that makes
 * one pass and ends: the pass itself saw the state before. A daemon does not need this, because its next pass follows at
 * once. `unreached`: the sites that were silent before it began. One that fell silent meanwhile is asked, because some of
 * its changes may be done.
 */
export async function lookAfter(
  world: World,
  result: PassResult,
  unreached: ReadonlyMap<string, Failure>,
  signal: AbortSignal,
): Promise<void> {
  if (result.results.length === 0) return
  const freshness = { maxAgeMs: 60_000, lastGood: true }
  const seen = await round(world, { trigger: 'command', until: 'plan', freshness, unreached }, signal)
  const { journal, memory, nowMs } = world
  const name = environmentName(world)
  const done = new Map(resultsBySite(result).map(part => [part.site, part]))
  for (const part of resultsBySite(seen)) {
    const { site } = part
    const ended = done.get(site)
    if (site === undefined || part.plan === undefined || ended === undefined) continue
    recordFindings(world, part)
    const state = stateAfter(keptOf(journal, name, site), part, memory.commits.lookedUp()?.commit, nowMs())
    const { outcome, errors } = ended
    if (state !== undefined)
      journal.keepState(name, site, { ...state, outcome, errors }, state.isSeen ? nowMs() : undefined)
  }
}
