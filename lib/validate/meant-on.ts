import { type LabelledSite, sitesMeant } from '../fleet/placement.ts'
import { onceFor } from '../memo/once-for.ts'
import type { DesiredState } from '../state/application/desired.ts'

/**
 * Returns what is wanted without the applications whose deployments do not mean this site, whether they are blocked or
 * not. Sites that are to have the same applications share one value.
 */
export function meantOn(desired: DesiredState, site: LabelledSite): DesiredState {
  const { deployments = [] } = desired
  const away = deployments
    .filter(({ placement }) => sitesMeant(placement, [site]).length === 0)
    .map(({ application }) => application)
  if (away.length === 0) return desired
  const states = cut(desired)
  const key = JSON.stringify(away)
  const state = states.get(key) ?? without(desired, new Set(away))
  states.set(key, state)
  return state
}

const cut = onceFor((_: DesiredState) => new Map<string, DesiredState>())

function without(desired: DesiredState, away: ReadonlySet<string>): DesiredState {
  return {
    ...desired,
    applications: desired.applications.filter(({ name }) => !away.has(name)),
    blocked: desired.blocked.filter(({ application }) => !away.has(application)),
  }
}
