import type { Journal } from '../../journal/journal.ts'
import { splitKey } from '../../plan/change/change.ts'

/**
 * Whether a version was begun on a site, or a step on the way to it, since that time at the latest, in ms since 1970, and
 * that has neither ended nor been put back.
 */
export type HasBegun = (site: string, version: string, sinceMs: number) => boolean

/** Returns what the journal knows of that of an application, also of sites that were away meanwhile. */
export function begunOn(journal: Journal, environment: string, application: string): HasBegun {
  return (site, version, sinceMs) =>
    [...journal.attempts(environment, site)].some(
      ([key, { phase, target, of, begunAtMs = 0 }]) =>
        phase !== 'ended' &&
        target !== 'absent' &&
        splitKey(key).application === application &&
        (of?.version === version || begunAtMs >= sinceMs),
    )
}
