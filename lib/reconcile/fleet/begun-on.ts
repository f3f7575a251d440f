import type { Journal } from '../../journal/journal.ts'
import type { RecordedAttempt } from '../../journal/services/attempts.ts'
import { splitKey } from '../../plan/change/change.ts'

/**
 * Whether a version was begun on a site, or a step on the way to it, since that time at the latest, in ms since 1970, and
 * that has neither ended nor been put back.
 */
export type HasBegun = (site: string, version: string, sinceMs: number) => boolean

/** Returns what the journal knows of that of an application, also of sites that were away meanwhile. */
export function begunOn(journal: Journal, environment: string, application: string): HasBegun {
  return (site, version, sinceMs) =>
    isHalfDone(unendedOn(journal, { environment, site, application }), version, sinceMs)
}

/**
 * Whether a version is half-done by what has begun and not ended, or a step on the way to it, since that time at the
 * latest, in ms since 1970; undefined: no such step counts.
 */
export function isHalfDone(
  unended: readonly Pick<RecordedAttempt, 'target' | 'of' | 'begunAtMs'>[],
  version: string,
  sinceMs = Number.POSITIVE_INFINITY,
): boolean {
  return unended.some(
    ({ target, of, begunAtMs = 0 }) =>
      target !== 'absent' && (of?.version === version || begunAtMs >= sinceMs),
  )
}

type Place = { readonly environment: string; readonly site: string; readonly application: string }

/** Returns what was begun of an application on a site, a removal too, and has neither ended nor been put back. */
export function unendedOn(
  journal: Pick<Journal, 'attempts'>,
  { environment, site, application }: Place,
): readonly RecordedAttempt[] {
  return [...journal.attempts(environment, site)].flatMap(([key, attempt]) =>
    attempt.phase !== 'ended' && splitKey(key).application === application ? [attempt] : [],
  )
}

/**
 * Returns the sites on which something of an application has begun that has neither ended nor failed. The journal is asked
 * when somebody wants to know, and once.
 */
export function begunSites(
  journal: Pick<Journal, 'openAttempts'>,
  environment: string,
  application: string,
): () => ReadonlySet<string> {
  let sites: ReadonlySet<string> | undefined
  return () => {
    sites ??= new Set(
      journal.openAttempts(environment).flatMap(one => (one.application === application ? [one.site] : [])),
    )
    return sites
  }
}
