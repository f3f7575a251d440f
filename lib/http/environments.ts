import { findEnvironment } from '../answers/subject/names.ts'
import { inPieces } from '../reconcile/concurrency/in-pieces.ts'
import { environmentName, isWrittenAs } from '../reconcile/repository/identity/environment-name.ts'
import type { PassResult } from '../reconcile/site/result/pass-result.ts'
import {
  joinKept,
  type Kept,
  type KnownBefore,
  type KnownTogether,
  keptOf,
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
    name: () => nameOfControlled(controlled),
    isWrittenAs: (written: string) => isWrittenAs(controlled.world, written),
  }
}

/** Returns the name that was read, or else the configured one; empty if neither is known. */
export function nameOfControlled({ world, loop }: Controlled): string {
  return loop.desired()?.environment ?? environmentName(world)
}

/**
 * Returns the last known state of an environment, and when its containers were last seen, as they are in the end. The
 * journal has what this process and earlier ones did, and is read in pieces; what this process only observes is known of
 * its last pass. A site that the pass of now has reached is no longer said not to answer.
 */
export async function stateOfControlled(controlled: Controlled): Promise<KnownTogether> {
  const { world, loop } = controlled
  const environment = nameOfControlled(controlled)
  const known = (site: string) => ({
    last: loop.site(site)?.last,
    kept: knownOf(controlled, environment, site),
  })
  const sites = () =>
    new Set([...world.journal.keptSites(environment), ...world.engines.map(({ site }) => site)])
  const before = new Map(await inPieces(sites(), site => [site, known(site)] as const, world.pacing.tell))
  const kept = [...sites()].flatMap(site => {
    const [then, { last, running } = {}] = [before.get(site), loop.site(site)]
    // Few passes end meanwhile.
    const { kept } = then !== undefined && then.last === last ? then : known(site)
    const isAnswering = kept?.state !== undefined && running?.reached !== undefined
    return (isAnswering ? { ...kept, state: onceReached(kept.state, site) } : kept) ?? []
  })
  const common = knownOf(controlled, environment, '')
  return joinKept(
    common === undefined ? kept : [...kept, common],
    world.engines.map(({ site }) => site),
  )
}

/** Returns what is known of a site, or, of the empty name, of the environment as a whole. */
function knownOf({ world, loop }: Controlled, environment: string, site: string): Kept | undefined {
  const known = keptOf(world.journal, environment, site)
  const { unread } = loop.looks()
  const { last, lastEndedMs = 0 } =
    site === '' ? { last: unread?.result, lastEndedMs: unread?.endedMs } : (loop.site(site) ?? {})
  const observed = last && observedIn(world, environment, known, last, lastEndedMs)
  const { state, seenMs = 0 } = observed ?? known
  return state && { site, state, seenMs }
}

/** Returns what a pass has found that only observed, so that the journal does not know it; undefined: it does. */
function observedIn(
  { memory }: Controlled['world'],
  environment: string,
  known: KnownBefore,
  result: PassResult,
  endedMs: number,
): KnownBefore | undefined {
  // What has no name yet has nothing in the journal of its own.
  if (result.passId !== undefined && environment !== '') return undefined
  const state = stateAfter(known, result, memory.commits.lookedUp()?.commit, endedMs)
  return state && { state, seenMs: state.isSeen ? endedMs : known.seenMs }
}
