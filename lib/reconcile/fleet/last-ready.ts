import type { Journal } from '../../journal/journal.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { stateOf, unreachedIn } from '../status/last-state.ts'
import { notReady } from './progress.ts'

/** An application that could not go on with its deployment on a site. */
export type Unready = { readonly application: string; readonly site: string }

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
