import type { Service } from '../state/application.ts'
import { gateOf, type Route } from '../state/route.ts'

/** What has routes: an application, as far as the ingress is concerned. */
export type Routed = { readonly services: readonly Pick<Service, 'routes' | 'gate'>[] }

/** An application that nobody can read now, with the routes that were loaded of it. */
export function asLoaded(
  environment: string,
  application: string,
  loaded: readonly Route[],
  pool: string,
): readonly Routed[] {
  const own = loaded.filter(route => route.application === application)
  const services = [...Map.groupBy(own, ({ service }) => service)].map(([service, routes]) => ({
    routes,
    gate: gateOf(environment, application, service, pool),
  }))
  return services.length === 0 ? [] : [{ services }]
}
