import { optional } from '../../../../object.ts'
import type { Service } from '../../../../state/application/application.ts'
import type { Route } from '../../../../state/application/ingress/route.ts'
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

/** What the ingress of a site makes of routes. */
export type Front = {
  /** It runs. */
  readonly isAnswering: boolean
  /** Whether it has loaded a route, as far as that matters for where its requests go. */
  readonly hasLoaded: (route: Route) => boolean
}

/** Returns what an ingress makes of routes that has loaded these. If there are none on record, nobody knows which. */
export function frontOf(isAnswering: boolean, loaded: readonly Route[]): Front {
  const known = new Set(loaded.map(whereToOf))
  return { isAnswering, hasLoaded: route => known.size === 0 || known.has(whereToOf(route)) }
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
    const { name } = service
    const { gate, routes = [] } = backendOf(service) ?? {}
    const admitted = live.filter(
      ({ service, networks, state, isDraining }) =>
        isAnswering &&
        service === name &&
        state === 'running' &&
        isDraining !== true &&
        gate !== undefined &&
        networks.includes(gate.network.name),
    )
    const count = admitted.reduce((sum, { runs }) => sum + (runs?.running ?? 1), 0)
    return routes.map(route => {
      const { host = '*', path, tls, redirect } = route
      const waits = isAnswering && !hasLoaded(route)
      return {
        url: `${tls === 'off' ? 'http' : 'https'}://${host}${path}`,
        service: name,
        ...(waits ? { waitsForIngress: true } : {}),
        ...(redirect === undefined
          ? { admitted: waits ? 0 : count, ...optional('wanted', instancesWanted([service], live)) }
          : { redirect }),
      }
    })
  })
}
