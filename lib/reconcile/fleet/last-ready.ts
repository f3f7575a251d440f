import type { Journal } from '../../journal/journal.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { ApplicationStatus } from '../status/application/application-status.ts'
import { placeOf } from '../status/application/under-way.ts'
import { type LastState, stateOf, unreachedIn } from '../status/last-state.ts'
import { notReady } from './findings/progress.ts'

/** An application that could not go on with its deployment on a site. */
export type Unready = { readonly application: string; readonly site: string }

/** Returns whether an application could go on with its deployment on a site when that was last seen, by the last state. */
export function wasReady(state: LastState | undefined): (application: string, site: string) => boolean {
  const away = unreachedIn(state)
  const held = new Set(state?.applications.filter(isHeldUp).map(placeOf))
  return (application, site) => !away.has(site) && !held.has(placeOf({ site, application }))
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
    const held = new Set(state?.applications.flatMap(one => (isHeldUp(one) ? [one.application] : [])))
    const isAway = unreachedIn(state).has(site)
    return deployments.flatMap(({ application }) =>
      isAway || held.has(application) ? [{ application, site }] : [],
    )
  })
}

function isHeldUp({ code, seenAt }: Pick<ApplicationStatus, 'code' | 'seenAt'>): boolean {
  return seenAt !== undefined || notReady.some(one => one === code)
}
