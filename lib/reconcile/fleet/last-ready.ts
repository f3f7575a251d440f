import type { Journal } from '../../journal/journal.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { stateOf, unreachedIn } from '../status/last-state.ts'
import { notReady } from './progress.ts'

/** An application that could not go on with its deployment on a site. */
export type Unready = { readonly application: string; readonly site: string }

/** Returns whether an application could go on with its deployment on a site when the site was last seen. */
export function wasReady(
  journal: Journal,
  environment: string,
): (application: string, site: string) => boolean {
  const deployments = [...journal.placements(environment).values()].map(({ deployment }) => deployment)
  const unready = Map.groupBy(
    lastUnready(journal, { environment, deployments }),
    ({ application }) => application,
  )
  const sites = new Map([...unready].map(([name, all]) => [name, new Set(all.map(({ site }) => site))]))
  return (application, site) => sites.get(application)?.has(site) !== true
}

/**
 * Returns which applications could not go on with their deployments when their sites were last seen, so that a process
 * that has looked at no site yet draws none of those (A34).
 */
export function lastUnready(
  journal: Journal,
  { environment, deployments = [] }: Pick<DesiredState, 'environment' | 'deployments'>,
): readonly Unready[] {
  if (deployments.length === 0) return []
  return journal.keptStates(environment).flatMap(({ site, state: kept }) => {
    const state = stateOf(kept)
    const held = new Set(
      state?.applications.flatMap(({ application, code, seenAt }) =>
        seenAt !== undefined || notReady.some(one => one === code) ? [application] : [],
      ),
    )
    const isAway = unreachedIn(state).has(site)
    return deployments.flatMap(({ application }) =>
      isAway || held.has(application) ? [{ application, site }] : [],
    )
  })
}
