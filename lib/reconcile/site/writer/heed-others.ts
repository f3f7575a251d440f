import type { Identity } from '../../../state/identity.ts'
import type { SiteWorld } from '../site.ts'

/**
 * If another process had the claim, and not with this journal, what that journal knows of the site is no longer what
 * was brought about last: it is put aside, so that nothing of the other one's is undone as drift (D17).
 */
export function heedOthers(
  { world, engine, memory }: SiteWorld,
  { environment }: Identity,
  marks: Set<string>,
): void {
  if (marks.size === 0) return
  const known = world.journal.knownMarks(environment, engine.site)
  if ([...marks].some(mark => !known.includes(mark))) {
    world.journal.putAside(environment, engine.site)
    memory.convergence.forget()
  }
  marks.clear()
}
