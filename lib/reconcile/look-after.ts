import { environmentName } from './environment-name.ts'
import { stateAfter, stateOf } from './last-state.ts'
import { pass } from './pass.ts'
import type { PassResult } from './pass-result.ts'
import type { World } from './world.ts'

/**
 * Records the state after a pass that changed something, for a command that makes one pass and ends: the pass itself
 * saw the state before. A daemon does not need this, because its next pass follows at once.
 */
export async function lookAfter(world: World, result: PassResult, signal: AbortSignal): Promise<void> {
  if (result.results.length === 0) return
  const freshness = { maxAgeMs: 60_000, lastGood: true }
  const seen = await pass(world, { trigger: 'command', until: 'plan', freshness }, signal)
  if (seen.plan === undefined) return
  const { journal, memory, nowMs } = world
  const name = environmentName(world)
  const before = journal.keptState(name)
  const known = { state: stateOf(before?.state), seenMs: before?.seenMs }
  const state = stateAfter(known, seen, memory.lookedUp?.commit)
  const { outcome, errors } = result
  if (state !== undefined)
    journal.keepState(name, { ...state, outcome, errors }, state.isSeen ? nowMs() : undefined)
}
