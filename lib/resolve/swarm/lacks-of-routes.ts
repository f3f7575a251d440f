import type { Service } from '../../state/application/application.ts'
import { covering } from '../../state/application/ingress/covering.ts'
import type { IngressSettings } from '../../state/application/ingress/ingress-settings.ts'
import type { Route, Statics } from '../../state/application/ingress/route.ts'
import { routesOf } from '../../state/application/ingress/traffic.ts'
import { membersOf } from '../../state/application/members.ts'
import type { SwarmOptions } from '../../state/application/swarm/swarm-service.ts'
import { isShare } from '../../state/application/volume.ts'

/**
 * Returns all that keeps the ingress of a Swarm from answering the requests to a service, or would lose something there,
 * in words that follow the name of the service.
 * @param settings absent: the files of the operator were not read, so it is unknown which hosts the certificates name
 */
export function lacksOfRoutes(
  service: Service,
  settings: IngressSettings | undefined,
  { publish, ingress = {} }: SwarmOptions,
): readonly string[] {
  const routes = routesOf(service)
  if (routes.length === 0) return []
  const { isExternal, isPinned, storage } = ingress
  const keeps = isPinned === true || storage !== undefined
  const own = settings && covering(settings.certificates)
  const isOfOperator = (host: string) =>
    own === undefined ? ingress.hasCertificates === true : own(host) !== undefined
  const hosts = keeps ? [] : [...new Set(routes.flatMap(route => hostToKeep(route, isOfOperator)))].sort()
  const ports = service.instances.flatMap(one => membersOf(one).flatMap(({ ports = [] }) => ports))
  return [
    isExternal ? ['has routes, and an ingress of the operator has to be on a host'] : [],
    hosts.length === 0
      ? []
      : [
          `needs a certificate of ${hosts.join(', ')} that the ingress would lose on another node: "ingress" of the site gives it neither a "node" nor a "storage" of all nodes`,
        ],
    routes.flatMap(({ statics }) => (statics === undefined ? [] : lackOfStatics(statics))),
    publish === 'ingress' && ports.length > 0
      ? [
          'has routes, for which its tasks have an address each, and publishes a port, which needs "publishMode: host" then',
        ]
      : [],
  ].flat()
}

/** Returns the host of a route if the ingress obtains or makes its certificate, which has to be kept then. */
function hostToKeep({ host, tls }: Route, isOfOperator: (host: string) => boolean): readonly string[] {
  if (host === undefined || tls === 'off') return []
  if (tls === 'internal') return [host]
  return isOfOperator(host) ? [] : [host]
}

/** Static files are answered on another node than the one on which the application writes them. */
function lackOfStatics({ mount, volumes }: Statics): readonly string[] {
  if (mount.kind !== 'volume') return ['has static files that each node has of its own']
  const volume = volumes.find(({ name }) => name === mount.volume)
  return volume !== undefined && isShare(volume)
    ? []
    : [
        `has static files in the volume ${mount.volume}, of which each node has one of its own: declare it under "volumes" with a driver or "driver_opts" of a share`,
      ]
}
