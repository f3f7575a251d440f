import { findEnvironment } from '../answers/subject/names.ts'
import { environmentName, isWrittenAs } from '../reconcile/repository/identity/environment-name.ts'
import { resultsBySite } from '../reconcile/site/result/join-results.ts'
import type { PassResult } from '../reconcile/site/result/pass-result.ts'
import {
  type Kept,
  type KnownBefore,
  keptOf,
  keptTogether,
  stateAfter,
} from '../reconcile/status/last-state.ts'
import { onceReached } from '../reconcile/status/once-reached.ts'
import type { Controlled } from './controlled.ts'

/** Returns the environment that is named, or the only one. Fails with `wrong-usage`. */
export function findControlled(running: readonly Controlled[], environment: string | undefined): Controlled {
  const named = running.map(controlled => ({ controlled, ...knownAs(controlled) }))
  return findEnvironment(named, environment).controlled
}

/** Returns what a person may call the environment. */
export function knownAs(controlled: Controlled) {
  return {
    name: () => nameOf(controlled),
    isWrittenAs: (written: string) => isWrittenAs(controlled.world, written),
  }
}

/** Returns the name that was read, or else the configured one; empty if neither is known. */
export function nameOf({ world, loop }: Controlled): string {
  return loop.desired()?.environment ?? environmentName(world)
}

/**
 * Returns the last known state of an environment, and when its containers were last seen. The journal has what this
 * process and earlier ones did. What this process only observes is known of its last pass. A site that the pass of now has
 * reached is no longer said not to answer.
 */
export function stateOfControlled(controlled: Controlled): KnownBefore {
  const { world, loop } = controlled
  const { last, lastEndedMs, reached } = loop.state()
  const environment = nameOf(controlled)
  const newest = world.memory.commits.lookedUp()?.commit
  const stateOf = (result: PassResult): readonly Kept[] => {
    const { site = '', passId } = result
    // What has no name yet has nothing in the journal of its own.
    if (passId !== undefined && environment !== '') return []
    const known = keptOf(world.journal, environment, site)
    const state = stateAfter(known, result, newest, lastEndedMs ?? 0)
    const seenMs = (state?.isSeen ? lastEndedMs : known.seenMs) ?? 0
    return [{ site, state, seenMs }]
  }
  const observed = last === undefined ? [] : resultsBySite(last).flatMap(stateOf)
  const answering = reached.flatMap((site): readonly Kept[] => {
    const { state, seenMs = 0 } =
      observed.find(one => one.site === site) ?? keptOf(world.journal, environment, site)
    return state === undefined ? [] : [{ site, state: onceReached(state, site), seenMs }]
  })
  return keptTogether(world.journal, environment, [...observed, ...answering])
}
