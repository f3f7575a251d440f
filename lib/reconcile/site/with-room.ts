import type { SiteWorld } from './site.ts'

/**
 * Begins with a pass over a site as soon as there is a place for its look, and the event loop has turned for it. A thousand sites may want
 * that at once, and hardly anything is kept for one of them before. `looked` gives the place back; the end of the pass
 * does so, too.
 */
export function withRoom<T>(
  { world, engine }: SiteWorld,
  begin: (looked: () => void) => Promise<T>,
): Promise<T> {
  return world.pools.look(engine.site, async leave => {
    await world.pacing.begin()
    return begin(leave)
  })
}
