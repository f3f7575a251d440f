import { sumOf } from '../../../../numbers.ts'
import { optional } from '../../../../object.ts'
import type { Service } from '../../../../state/application/application.ts'
import { isGate, type Route } from '../../../../state/application/ingress/route.ts'
import { backendOf } from '../../../../state/application/ingress/traffic.ts'
import type { LiveContainer } from '../../../../state/running/live.ts'
import { instancesWanted } from './instances.ts'

/** Where users' requests go. */
export type RouteStatus = {
  /** `https://shop.example.com/api`; a star stands for every host that no other route names. */
  readonly url: string
  readonly service: string
  /** The ingress runs and has not loaded it as it is wanted; absent: it has, or does not run. */
  readonly waitsForIngress?: true
} & (
  | {
      /** The number of instances that receive requests: none while the ingress does not run, or has not loaded it. */
      readonly admitted: number
      /** Absent: unknown, as that of the application is. */
      readonly wanted?: number
    }
  /** Where requests are redirected. No instance is asked. */
  | { readonly redirect: string }
)

/** The ingress of a site. */
export type Front = {
  /** It runs. */
  readonly isAnswering: boolean
  /** The routes that it loaded last; none: unknown. */
  readonly loaded: readonly Route[]
  /** Whether it has loaded a route, as far as that matters for where its requests go. */
  readonly hasLoaded: (route: Route) => boolean
}

/** Returns an ingress that has loaded these routes. If there are none on record, nobody knows which. */
export function frontOf(isAnswering: boolean, loaded: readonly Route[]): Front {
  const known = new Set(loaded.map(whereToOf))
  return { isAnswering, loaded, hasLoaded: route => known.size === 0 || known.has(whereToOf(route)) }
}

/** Returns which requests a route is about, and where they go. */
function whereToOf({ application, service, host, path, tls, alias, port, redirect }: Route): string {
  return JSON.stringify([application, service, host, path, tls === 'off', alias, port, redirect])
}

/** Returns the routes of these services, and who gets the requests. */
export function routeStatuses(
  services: readonly Service[],
  live: readonly LiveContainer[],
  { isAnswering, hasLoaded }: Front,
): readonly RouteStatus[] {
  return services.flatMap(service => {
    const { gate, routes = [] } = backendOf(service) ?? {}
    if (routes.length === 0) return []
    const admitted = admittedTo(service.name, live, name => name === gate?.network.name)
    const wanted = optional('wanted', instancesWanted([service], live))
    return routes.map(route => {
      const waits = isAnswering && !hasLoaded(route)
      return {
        ...placeOf(route),
        ...(waits ? { waitsForIngress: true } : {}),
        ...(route.redirect === undefined
          ? { admitted: isAnswering && !waits ? admitted : 0, ...wanted }
          : { redirect: route.redirect }),
      }
    })
  })
}

/** Returns the routes that the ingress has of an application of which nobody knows what is wanted, or that is not. */
export function loadedRouteStatuses(
  application: string,
  live: readonly LiveContainer[],
  { isAnswering, loaded }: Front,
): readonly RouteStatus[] {
  return loaded
    .filter(route => route.application === application)
    .map(route => ({
      ...placeOf(route),
      ...(route.redirect === undefined
        ? { admitted: isAnswering ? admittedTo(route.service, live, isGate) : 0 }
        : { redirect: route.redirect }),
    }))
}

function placeOf({ service, host = '*', path, tls }: Route): Pick<RouteStatus, 'url' | 'service'> {
  return { url: `${tls === 'off' ? 'http' : 'https'}://${host}${path}`, service }
}

/** Returns how many instances of a service are on its gate, where the ingress finds them. */
function admittedTo(
  service: string,
  live: readonly LiveContainer[],
  isOwnGate: (network: string) => boolean,
): number {
  const admitted = live.filter(
    ({ networks, state, isDraining, ...one }) =>
      one.service === service && state === 'running' && isDraining !== true && networks.some(isOwnGate),
  )
  return sumOf(admitted, ({ runs }) => runs?.running ?? 1)
}
