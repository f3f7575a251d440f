import type { Document } from '../../document/document.ts'
import type { Position } from '../../errors.ts'
import type { Instance, Service } from '../../state/application/application.ts'
import { type Claim, hostPort, nameOn } from '../../state/application/claim.ts'
import type { Port } from '../../state/application/container/container.ts'
import { claimedBy, type Route } from '../../state/application/ingress/route.ts'
import { routesOf } from '../../state/application/ingress/traffic.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import type { Service as Written } from '../application.gen.ts'
import { readPublishedPorts } from '../networks.ts'
import { portEntries } from '../read/ports.ts'
import { muted, type Spot } from '../spot.ts'

/** What is claimed, for which service, and where that is written. */
export type Claimed = { readonly claim: Claim; readonly service: string; readonly place: ClaimPlace }

/** A place in a file. It costs time to look up its line, so that is done only for problems that are reported. */
export type ClaimPlace = { readonly pointer: string; position(): Position }

/** Returns the claim of a service without a specification: the name by which others find it. */
export function claimsOfPlain({ name, position }: ServiceEntry, network: string): readonly Claimed[] {
  const place = { pointer: '/name', position: () => position }
  return [{ claim: nameOn(network, name), service: name, place }]
}

/** Returns a place without what a fault there would be noted in: claims are kept for all applications together. */
export function claimPlaceIn(document: Document, pointer: string): ClaimPlace {
  return { pointer, position: () => document.position(pointer) }
}

/** A claim with a place where a fault can be noted. */
export type Noted = Claimed & { readonly place: Spot }

/** Returns what the services of one application claim, each at its place. */
export function claimsOf(
  services: readonly Service[],
  written: readonly Written[],
  spot: Spot,
): readonly Noted[] {
  return services.flatMap((service, index) => {
    const own = written[index]
    const claims = own === undefined ? [] : claimsOfOne(service, own, spot.at(index))
    return claims.map(([claim, place]) => ({ claim, service: service.name, place }))
  })
}

type At = readonly [Claim, Spot]

function claimsOfOne(service: Service, written: Written, spot: Spot): readonly At[] {
  const [instance] = service.instances
  const routes = routeClaims(service, written, spot)
  return instance === undefined
    ? routes
    : [...routes, ...portClaims(written, spot), ...nameClaims(service, instance, written, spot)]
}

function routeClaims(service: Service, written: Written, spot: Spot): readonly At[] {
  return routesAt(service, written, spot).flatMap(({ route, place }): readonly At[] => {
    const { host, tls, path } = route
    const certificate: readonly At[] =
      host === undefined || tls === 'off'
        ? []
        : [[{ of: 'certificate', host, tls, isWhole: path === '/' }, place]]
    return [...claimedBy(route).map((claim): At => [claim, place]), ...certificate]
  })
}

/** Returns the routes of a service, each with the place that it comes from. */
export function routesAt(
  service: Service,
  written: Written,
  spot: Spot,
): readonly { readonly route: Route; readonly place: Spot }[] {
  const routes = routesOf(service)
  const listed = written.ingress?.length ?? 0
  return routes.map((route, number) => {
    const entry = number - (routes.length - listed)
    return { route, place: entry < 0 ? spot.at('pallet', 'domain') : spot.at('ingress', entry) }
  })
}

/** Every entry is a claim of its own, because even one instance can publish a port of the host only once. */
function portClaims(written: Written, spot: Spot): readonly At[] {
  return portsAt(written, spot).flatMap(({ port, place }): At[] => {
    const claim = hostPort(port)
    return claim === undefined ? [] : [[claim, place]]
  })
}

/** Returns the ports that a service publishes, each with the place that it comes from. */
export function portsAt(
  { containers, network }: Written,
  spot: Spot,
): readonly { readonly port: Port; readonly place: Spot }[] {
  const entries = containers.flatMap(({ ports = [] }, index) => {
    const at = spot.at('containers', index, 'ports')
    return portEntries(ports, muted(at)).map(({ port, entry }) => ({ port, place: at.at(entry) }))
  })
  const own = readPublishedPorts(network, muted(spot))
  const place = spot.at('network', 'ingress-ip-per-instance')
  return [...entries, ...own.map(port => ({ port, place }))]
}

/**
 * An engine's name server answers a service's name, its aliases and the host names of its containers. Names on a gate
 * are not claims: see `faultReservedNames`.
 */
function nameClaims(
  { name }: Service,
  { network, attachments = [] }: Instance,
  { containers, network: { aliases = [] } = {} }: Written,
  spot: Spot,
): readonly At[] {
  if (network.mode === 'host') return []
  const hosts = containers.flatMap(({ hostname }, index) =>
    hostname === undefined ? [] : [{ hostname, place: spot.at('containers', index, 'hostname') }],
  )
  return [
    [nameOn(network.name, name), spot.at('name')],
    ...aliases.map((alias, index): At => [nameOn(network.name, alias), spot.at('network', 'aliases', index)]),
    ...[network, ...attachments].flatMap(one =>
      hosts.map(({ hostname, place }): At => [nameOn(one.name, hostname), place]),
    ),
  ]
}
