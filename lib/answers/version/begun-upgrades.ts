import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { splitKey } from '../../plan/change/change.ts'
import type { QueuedVersion } from '../../reconcile/status/application/waiting/queue-view.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import type { LeftOut } from '../subject/asked.ts'

/** What waits of an application on a site. */
export type WaitingQueue = {
  readonly site: string
  readonly application: string
  readonly queue: readonly QueuedVersion[]
}

/** The most sites that one text names. */
export const mostSitesNamed = 10

/**
 * Returns the sites on which an upgrade has begun: to that version or, if none is named, to the wanted one. The journal
 * knows it at any time, also in the middle of a pass and after the process that began it has ended.
 */
export function begunIn(
  journal: Pick<Journal, 'attempts'>,
  environment: string,
  seen: readonly WaitingQueue[],
  version: string | undefined,
): readonly BegunUpgrade[] {
  return seen.flatMap(({ site, application, queue }) => {
    const begun = [...journal.attempts(environment, site)].flatMap(([key, { phase, of }]) =>
      phase === 'open' && splitKey(key).application === application ? (of?.version ?? []) : [],
    )
    const meant = version ?? queue.at(-1)?.version ?? begun[0]
    return meant !== undefined && begun.includes(meant) ? [{ site, version: meant }] : []
  })
}

type BegunUpgrade = { readonly site: string; readonly version: string }

/** Says of a site why its upgrade is not deleted. */
export function leftAsBegun({ site, version }: BegunUpgrade): LeftOut {
  return { site, reason: `the upgrade to ${version} has begun there, and runs to its end` }
}

/**
 * Returns the failure for an upgrade that has begun on all of these sites.
 * @param back how to go back from it, in words
 */
export function hasBegun(application = '', begun: readonly BegunUpgrade[], back: string): Failure {
  const versions = [...new Set(begun.map(({ version }) => version))].join(', ')
  const sites = firstAndMore(
    begun.map(({ site }) => site),
    mostSitesNamed,
  )
  return new Failure(
    'wrong-usage',
    `the upgrade of ${application} to ${versions} has begun on ${sites}, and runs to its end`,
    { hint: `To go back all the same, ${back}.` },
  )
}
