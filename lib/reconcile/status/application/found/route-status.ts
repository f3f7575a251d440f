import { optional } from '../../../../object.ts'
import type { Service } from '../../../../state/application/application.ts'
import { backendOf } from '../../../../state/application/ingress/traffic.ts'
import type { LiveContainer } from '../../../../state/running/live.ts'
import { instancesWanted } from './instances.ts'

/** Where users' requests go. */
export type RouteStatus = {
  /** `https://shop.example.com/api`; a star stands for every host that no other route names. */
  readonly url: string
  readonly service: string
} & (
  | {
      /** The number of instances that receive requests: none while the ingress does not run. */
      readonly admitted: number
      /** Absent: unknown, as that of the application is. */
      readonly wanted?: number
    }
  /** Where requests are redirected. No instance is asked. */
  | { readonly redirect: string }
)

/**
 * Returns the routes of these services, and who gets the requests.
 * @param isAnswering whether the ingress of the site runs
 */
export function routeStatuses(
  services: readonly Service[],
  live: readonly LiveContainer[],
  isAnswering: boolean,
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
    return routes.map(({ host = '*', path, tls, redirect }) => ({
      url: `${tls === 'off' ? 'http' : 'https'}://${host}${path}`,
      service: name,
      ...(redirect === undefined
        ? { admitted: count, ...optional('wanted', instancesWanted([service], live)) }
        : { redirect }),
    }))
  })
}
