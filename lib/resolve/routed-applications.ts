import type { RoutedApplication } from '../ingress/as-loaded.ts'
import type { Whereabouts } from '../spec/claims/whereabouts.ts'
import type { Application } from '../state/application/application.ts'
import type { Blocked } from '../state/application/desired.ts'
import type { LoadedRoutes, Route } from '../state/application/ingress/route.ts'
import { routesOf } from '../state/application/ingress/traffic.ts'
import { type SiteSet, sitesInAny } from '../state/fleet/site-set.ts'

/** What the ingress is made for: applications, and the routes that blocked ones have loaded. */
export type Routed = {
  readonly applications: readonly Application[]
  readonly loaded: readonly LoadedRoutes[]
}

/** Returns what the ingress is made for. */
export function routedAmong(
  applications: readonly Application[],
  blocked: readonly Blocked[],
  loaded: readonly LoadedRoutes[],
): Routed {
  const names = new Set(blocked.map(({ application }) => application))
  return {
    applications: applications.filter(application => hasRoutes([application])),
    loaded: loaded.filter(({ routes }) => routes.some(({ application }) => names.has(application))),
  }
}

/** Returns the sites that are to have an ingress. */
export function sitesOfIngress(
  { applications, loaded }: Routed,
  { of, named }: Pick<Whereabouts, 'of' | 'named'>,
): SiteSet {
  return sitesInAny([...applications.map(({ name }) => of(name)), ...loaded.map(({ sites }) => named(sites))])
}

/** Returns whether anything has a route. */
export function hasRoutes(applications: readonly RoutedApplication[]): boolean {
  return routesAmong(applications).length > 0
}

/** Returns the routes of applications. */
export function routesAmong(applications: readonly RoutedApplication[]): readonly Route[] {
  return applications.flatMap(({ services }) => services.flatMap(routesOf))
}
