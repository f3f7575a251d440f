import type { Journal } from '../../../journal/journal.ts'
import { optional } from '../../../object.ts'
import { splitKey } from '../../../plan/change/change.ts'
import { withoutSite } from '../../../text/sites/without-site.ts'
import { codeMeaning } from '../../fleet/findings/hold-meaning.ts'
import type { ApplicationStatus } from '../application/application-status.ts'
import { declinedText } from '../application/waiting/awaited-approval.ts'
import type { PassError } from '../error.ts'
import type { WaitingPart } from '../last-state.ts'
import { silentReason } from '../seen-before.ts'

/** What is known of an application on the sites of its deployment. */
export type SeenOnSites = {
  /** What was last seen of it, by site. */
  readonly on: ReadonlyMap<string, ApplicationStatus>
  /** What failed of it in the last pass, by site. */
  readonly failed: ReadonlyMap<string, Pick<PassError, 'code' | 'message'>>
  /** The sites on which something of it waits for an approval. */
  readonly asked: ReadonlySet<string>
  /** The sites that are not reached, and since when, in ISO 8601. */
  readonly unreached: ReadonlyMap<string, string>
  /** The sites to which another process writes; absent: that is not known. */
  readonly theirs?: ReadonlySet<string>
}

/** What was seen on all sites of an environment. */
export type SeenSource = {
  readonly environment: string
  readonly journal: Journal
  /** What was last seen of the applications on all sites. */
  readonly applications: readonly ApplicationStatus[]
  /** The sites that are not reached, and since when, in ISO 8601. */
  readonly unreached: ReadonlyMap<string, string>
  /** What went wrong in the last passes over all sites. */
  readonly errors: readonly PassError[]
  /** The plan of each site, and what in it waits for a person. */
  readonly parts: readonly WaitingPart[]
  /** The sites to which another process writes; absent: that is not known. */
  readonly theirs?: ReadonlySet<string>
}

/** Returns what is known of each application on the sites of an environment. */
export function seenOnSites(source: SeenSource): (application: string) => SeenOnSites {
  const { environment, journal, unreached, theirs } = source
  const seen = Map.groupBy(source.applications, ({ application }) => application)
  const placed = source.errors.map(error => ({ ...splitKey(error.resource ?? ''), error }))
  const failed = Map.groupBy(placed, ({ application }) => application)
  const parts = journal.waiting(environment).length === 0 ? [] : source.parts
  return application => {
    const isOwn = ({ resource }: { readonly resource: string }) => resource.startsWith(`${application}/`)
    return {
      on: new Map(seen.get(application)?.map(one => [one.site, one])),
      // The first error says most.
      failed: new Map(
        failed
          .get(application)
          ?.toReversed()
          .map(({ site, error }) => [site, error]),
      ),
      asked: new Set(parts.filter(({ items }) => items.some(isOwn)).map(({ site }) => site)),
      unreached,
      ...optional('theirs', theirs),
    }
  }
}

/** Whether a site does not answer now, so that only what was last seen there is known. */
export function isUnanswering(site: string, { on, unreached }: SeenOnSites): boolean {
  return unreached.has(site) || on.get(site)?.seenAt !== undefined
}

/** Whether a site waits for its upgrade window. */
export function isClosed(site: string, { on }: SeenOnSites): boolean {
  return on.get(site)?.code === 'window-closed'
}

/** Whether a site is the engine of another one, which is counted in its place. */
export function isTwin(site: string, { on }: SeenOnSites): boolean {
  return on.get(site)?.code === 'same-engine'
}

/** Whether somebody has left a site out of the version, by a word about its queue (A66). */
export function isLeftOut(site: string, { on }: SeenOnSites): boolean {
  return on.get(site)?.code === 'upgrade-deleted'
}

/** Why a site is as it is, as a code of docs/errors.md if something is wrong or held there, and since when. */
export type SiteReason = {
  readonly reason: string
  readonly code?: string
  readonly since?: string
}

/**
 * Returns why a site is as it is. What failed in the last pass over it says more than what that pass had planned (G13).
 */
export function reasonOn(site: string, { on, failed, asked, unreached, theirs }: SeenOnSites): SiteReason {
  if (theirs?.has(site)) return { reason: 'another tallyman writes there' }
  const silentSince = unreached.get(site)
  if (silentSince !== undefined) return { reason: silentReason, since: silentSince }
  const seen = on.get(site)
  if (seen === undefined) return { reason: 'was not looked at yet' }
  const { reason, code, since, seenAt, approval } = seen
  const failure = code === undefined && seenAt === undefined ? failed.get(site) : undefined
  if (failure !== undefined) return { reason: withoutSite(failure.message, site), code: failure.code }
  if (code === undefined && approval?.of !== 'first') {
    if (approval?.declined !== undefined) return { reason: declinedText(approval.declined) }
    if (asked.has(site)) return { reason: askedReason }
  }
  return { reason: withoutSite(reason, site), ...optional('code', code), ...optional('since', since) }
}

/** What a site waits for where a person is asked about the version. */
const askedReason = 'needs an approval'

/**
 * Whether nothing is wrong with a site, and nothing happens there by itself: a person has to approve what comes next, or
 * something else has to change before.
 */
export function isPersonAwaited(site: string, seen: SeenOnSites): boolean {
  const { code, reason } = reasonOn(site, seen)
  if (code !== undefined) return codeMeaning(code) === 'others'
  if (seen.theirs?.has(site) === true || isUnanswering(site, seen)) return false
  return reason === askedReason || seen.on.get(site)?.approval !== undefined
}

/** Returns the name of a site, and why it is as it is. */
export function whyOf(site: string, seen: SeenOnSites): string {
  const { reason, code, since } = reasonOn(site, seen)
  if (reason === '') return site
  return `${site} (${code === undefined ? '' : `${code}: `}${reason}${since !== undefined && isUnanswering(site, seen) ? ` since ${since}` : ''})`
}
