import { isDeepStrictEqual } from 'node:util'
import type { KnownService } from '../../journal/services/service-marks.ts'
import { alteredText } from '../../state/running/altered.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import { byText } from '../../text/order.ts'
import type { World } from '../world.ts'
import type { SeenSite } from './observe.ts'

/**
 * Returns what a Swarm runs with what somebody changed there by hand: a service is no longer as its manager told it right
 * after our last change. What was never told counts as ours, and is on record from then on.
 * @param records whether this process writes to the site
 */
export function withAlterations(
  { world: { journal } }: { readonly world: Pick<World, 'journal'> },
  environment: string,
  seen: SeenSite,
  records: boolean,
): SeenSite {
  if (!('live' in seen) || !seen.live.containers.some(({ runs }) => runs !== undefined)) return seen
  const before = journal.serviceMarks(environment, seen.site)
  const containers = seen.live.containers.map(container => {
    const known = knownOf(container, before)
    const altered = known && container.runs && alteredText(known, container.runs.mark)
    if (container.runs === undefined || altered === undefined) return container
    return { ...container, runs: { ...container.runs, altered } }
  })
  const now = containers.flatMap((container): readonly KnownService[] => {
    const { id, fingerprint, runs } = container
    // What this process was told it wrote itself, whatever this pass is for.
    const mark = runs?.told ?? (records ? (knownOf(container, before) ?? runs?.mark) : undefined)
    const known = mark && { environment, site: seen.site, id, fingerprint, mark }
    return [known ?? before.get(id) ?? []].flat()
  })
  // Who only looks may know less than who writes there, and takes no mark of a service that it does not see.
  const seenNow = new Set(now.map(({ id }) => id))
  const kept = records ? [] : [...before.values()].filter(({ id }) => !seenNow.has(id))
  const inOrder = [...now, ...kept].toSorted(byText(({ id }) => id))
  if (!isDeepStrictEqual(inOrder, [...before.values()]))
    journal.keepServiceMarks(environment, seen.site, inOrder)
  return { ...seen, live: { ...seen.live, containers } }
}

/** What this process told itself goes before what is on record. */
function knownOf({ id, fingerprint, runs }: LiveContainer, before: ReadonlyMap<string, KnownService>) {
  const recorded = before.get(id)
  return runs?.told ?? (recorded?.fingerprint === fingerprint ? recorded.mark : undefined)
}
