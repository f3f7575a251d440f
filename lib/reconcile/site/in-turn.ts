import type { SiteWorld } from './site.ts'

/**
 * Begins with a pass over a site as soon as there is a place for its look, and it is its turn. A thousand sites may want
 * that at once, and hardly anything is kept for one of them before. `looked` gives the place back; the end of the pass
 * does so, too.
 */
export function inTurn<T>(
  { world, engine }: SiteWorld,
  begin: (looked: () => void) => Promise<T>,
): Promise<T> {
  return world.queue.look(engine.site, async leave => {
    await world.turns.begin()
    return begin(leave)
  })
}
