import type { Network } from '../network.ts'
import type { Gate, Route, Routing } from './route.ts'

/** What a service has to do with users' requests (P33). */
export type Traffic = Backend | Proxy

/** Its instances receive requests on their gate: those of its routes, and those for files that it serves for others. */
export type Backend = { readonly role: 'backend'; readonly gate: Gate; readonly routes: readonly Route[] }

/** It is the ingress, which passes requests on. */
export type Proxy = { readonly role: 'proxy'; readonly routing: Routing }

type WithTraffic = { readonly traffic?: Traffic }

/** Returns where the instances of a service receive requests, and which; undefined if they receive none. */
export function backendOf({ traffic }: WithTraffic): Backend | undefined {
  return traffic?.role === 'backend' ? traffic : undefined
}

/** Returns the users' requests that go to a service. */
export function routesOf(service: WithTraffic): readonly Route[] {
  return backendOf(service)?.routes ?? []
}

/** Returns what the ingress has besides its container; undefined for any other service. */
export function routingOf({ traffic }: WithTraffic): Routing | undefined {
  return traffic?.role === 'proxy' ? traffic.routing : undefined
}

/** Returns the gates that a service is on. */
export function gatesOf(traffic?: Traffic): readonly Network[] {
  if (traffic === undefined) return []
  return traffic.role === 'backend' ? [traffic.gate.network] : traffic.routing.networks
}
