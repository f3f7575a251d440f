import type { Engine, Scope } from '../engine.ts'
import { type Failure, toFailure } from '../errors.ts'
import type { DesiredState } from '../state/desired.ts'
import type { LiveState } from '../state/live.ts'
import type { World } from './world.ts'

export type Seen = {
  readonly sites: readonly LiveState[]
  readonly unreachable: readonly { readonly site: string; readonly failure: Failure }[]
}

/** What all sites run, side by side. A site that does not answer never holds the others (G17). */
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

/** Gives what the sites run, for what is wanted of them. */
export type Observation = (desired: DesiredState) => Promise<Seen>

/** What was seen longer ago is looked at anew. */
const freshMs = 5_000

/**
 * Begins to observe while the source is still asked, where the pass before knew whose containers to look for: a pass
 * without changes then takes as long as the longer of its two questions. What was seen counts while it is fresh, and if
 * nobody else could have written meanwhile; otherwise the sites are observed once the desired state is known.
 */
export function observeAhead(
  { engines, memory, steadyMs }: Pick<World, 'engines' | 'memory' | 'steadyMs'>,
  signal: AbortSignal,
): Observation {
  const known = memory.desired?.pinned
  if (known === undefined || memory.claimed !== true) return desired => observeAll(engines, desired, signal)
  const begunMs = steadyMs()
  const ahead = observeAll(engines, known, signal)
  return desired => {
    const isSame = desired.environment === known.environment && desired.source === known.source
    const counts = isSame && steadyMs() - begunMs < freshMs
    return counts ? ahead : observeAll(engines, desired, signal)
  }
}
