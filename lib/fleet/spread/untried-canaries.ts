import type { BatchDrawn } from '../../state/fleet/run.ts'
import type { Sites } from './sites.ts'

/** What is known of the canaries of a run. */
export type CanariesKnown = {
  readonly reached: Pick<Sites, 'has'>
  readonly batches: readonly BatchDrawn[]
  /** Whether one of them has tried the version, or a person let the others follow. */
  readonly hasTried: boolean
  /** Whether sites of the last batch are missed, and waited for. */
  readonly isAwaited: boolean
  /** Whether the last batch is one of canaries that has not proved the version yet. */
  readonly isWatched: boolean
}

/**
 * Returns the canaries that have to be drawn, so that they try the version before anybody else (A31, A35). Pure.
 * @param canaries all that the deployment has now
 */
export function untriedCanaries(
  canaries: readonly string[],
  { reached, batches, hasTried, isAwaited, isWatched }: CanariesKnown,
): readonly string[] {
  const all = new Set(canaries)
  if (!batches.some(({ isCanary, sites }) => isCanary === true && sites.some(site => all.has(site))))
    return canaries
  const unreached = canaries.filter(site => !reached.has(site))
  const notIn = (sites: readonly string[]) => {
    const drawn = new Set(sites)
    return unreached.filter(site => !drawn.has(site))
  }
  // Those that had tried it are gone, are no canaries any more, or begin anew: so it has to be tried again.
  if (!hasTried && !isAwaited) return notIn(batches.at(-1)?.sites ?? []).length === 0 ? [] : unreached
  // While the canaries are watched, others that become canaries are drawn with them. Later they are sites like any other.
  return isWatched ? notIn(batches.flatMap(({ sites }) => sites)) : []
}
