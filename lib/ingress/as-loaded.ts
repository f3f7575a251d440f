import type { Service } from '../state/application/application.ts'
import { gateOf, type Route } from '../state/application/ingress/route.ts'

/** An application with routes, as the ingress needs it. */
export type RoutedApplication = { readonly services: readonly Pick<Service, 'traffic'>[] }

/** Returns an application that cannot be read now, with the routes of it that are loaded. */
export function asLoaded(
  environment: string,
  application: string,
  loaded: readonly Route[],
  pool: string,
): readonly RoutedApplication[] {
  const own = loaded.filter(route => route.application === application)
  const services = [...Map.groupBy(own, ({ service }) => service)].map(([service, routes]) => ({
    traffic: { role: 'backend' as const, routes, gate: gateOf(environment, application, service, pool) },
  }))
  return services.length === 0 ? [] : [{ services }]
}
