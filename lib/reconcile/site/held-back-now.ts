import type { World } from '../world.ts'

/** What people said that keeps an application as it is, or at a version, as one text: it differs once that does. */
export type HeldBackBy = (application: string) => string

/**
 * Returns what is on record now of suspensions and held versions. A pass decides by that, and waits for engines and
 * repositories before it begins.
 */
export function heldBackNow(
  { journal, nowMs }: Pick<World, 'journal' | 'nowMs'>,
  environment: string,
): HeldBackBy {
  const suspensions = journal.suspensions(environment, nowMs())
  const held = journal.heldVersions(environment)
  return name =>
    JSON.stringify([
      suspensions.filter(({ application = name }) => application === name),
      held.filter(({ application }) => application === name),
    ])
}
