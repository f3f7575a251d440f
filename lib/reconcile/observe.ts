import type { Engine, Scope } from '../engine.ts'
import { type Failure, toFailure } from '../errors.ts'
import type { DesiredState } from '../state/desired.ts'
import type { LiveState } from '../state/live.ts'
import type { World } from './world.ts'

export type Seen = {
  readonly sites: readonly LiveState[]
  readonly unreachable: readonly { readonly site: string; readonly failure: Failure }[]
}

/** Observes all sites at the same time. A site that does not answer does not hold up the others (G17). */
export async function observeAll(
  engines: readonly Engine[],
  scope: Scope,
  signal: AbortSignal,
): Promise<Seen> {
  const answers = await Promise.all(
    engines.map(async engine => {
      try {
        return { live: await engine.observe(scope, signal) }
      } catch (error) {
        return { site: engine.site, failure: toFailure(error) }
      }
    }),
  )
  return {
    sites: answers.flatMap(answer => (answer.live === undefined ? [] : [answer.live])),
    unreachable: answers.flatMap(answer =>
      answer.live === undefined ? [{ site: answer.site, failure: answer.failure }] : [],
    ),
  }
}

/** Returns what the sites run of a desired state. */
export type Observation = (desired: DesiredState) => Promise<Seen>

/** An observation older than this is repeated. */
const freshMs = 5_000

/**
 * Begins to observe while the source is still asked, if the pass before knew which containers to look for. A pass
 * without changes then takes only as long as the longer of the two. The observation counts while it is fresh and if
 * nobody else could have written meanwhile. Otherwise the sites are observed once the desired state is known.
 */
export function observeAhead(
  world: Pick<World, 'engines' | 'memory' | 'steadyMs'>,
  signal: AbortSignal,
): Observation {
  const { memory, steadyMs } = world
  const known = memory.desired?.pinned
  // Which engines run the environment is only known once the desired state is.
  const anew: Observation = desired => observeAll(world.engines, desired, signal)
  if (known === undefined || memory.claimed !== true) return anew
  const begunMs = steadyMs()
  const ahead = observeAll(world.engines, known, signal)
  return desired => {
    const isSame = desired.environment === known.environment && desired.source === known.source
    const counts = isSame && steadyMs() - begunMs < freshMs
    return counts ? ahead : anew(desired)
  }
}
