import { findEnvironment } from '../answers/names.ts'
import { environmentName, isWrittenAs } from '../reconcile/repository/environment-name.ts'
import { type KnownBefore, keptTogether, stateAfter } from '../reconcile/status/last-state.ts'
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
  return loop.state().last?.desired?.environment ?? environmentName(world)
}

/** Returns the last known state of an environment, and when its containers were last seen. */
export function stateOfControlled(controlled: Controlled): KnownBefore {
  const { world, loop } = controlled
  const { last, lastEndedMs } = loop.state()
  const known = keptTogether(world.journal, nameOf(controlled))
  // The journal has what this process and earlier ones did, but not what this process only observes.
  if (last === undefined || last.passId !== undefined) return known
  const state = stateAfter(known, last, world.memory.commits.lookedUp()?.commit)
  return { state, seenMs: state?.isSeen ? lastEndedMs : known.seenMs }
}
