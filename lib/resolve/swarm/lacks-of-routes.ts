import { isCovered } from '../../ingress/settings.ts'
import type { Service } from '../../state/application/application.ts'
import type { IngressSettings } from '../../state/application/ingress-settings.ts'
import { membersOf } from '../../state/application/members.ts'
import type { Route, Statics } from '../../state/application/route.ts'
import type { SwarmOptions } from '../../state/application/swarm-service.ts'
import { routesOf } from '../../state/application/traffic.ts'

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
  const hosts = keeps
    ? []
    : [...new Set(routes.flatMap(route => hostToKeep(route, settings, ingress)))].sort()
  const ports = service.instances.flatMap(one => membersOf(one).flatMap(({ ports = [] }) => ports))
  return [
    isExternal ? ['has routes, and an ingress of the operator has to be on a host'] : [],
    hosts.length === 0
      ? []
      : [
          `needs a certificate of ${hosts.join(', ')} that the ingress would lose on another node: "ingress" of the site gives it neither a "node" nor a "storage" of all nodes`,
        ],
    routes.some(({ statics }) => statics !== undefined && !isShared(statics))
      ? [
          'has static files in a volume that each node has one of: give it a driver or "driver_opts" of a share',
        ]
      : [],
    publish === 'ingress' && ports.length > 0
      ? [
          'has routes, for which its tasks have an address each, and publishes a port, which needs "publishMode: host" then',
        ]
      : [],
  ].flat()
}

/** Returns the host of a route if the ingress obtains or makes its certificate, which has to be kept then. */
function hostToKeep(
  { host, tls }: Route,
  settings: IngressSettings | undefined,
  { hasCertificates }: NonNullable<SwarmOptions['ingress']>,
): readonly string[] {
  if (host === undefined || tls === 'off') return []
  if (tls === 'internal') return [host]
  const isOfOperator =
    settings === undefined ? hasCertificates === true : isCovered(host, settings.certificates)
  return isOfOperator ? [] : [host]
}

/** Whether all nodes may have the same files: without a word, each makes a volume of its own. */
function isShared({ mount, volumes }: Statics): boolean {
  if (mount.kind !== 'volume') return false
  const { driver = 'local', driverOptions } = volumes.find(({ name }) => name === mount.volume) ?? {}
  return driver !== 'local' || driverOptions !== undefined
}
