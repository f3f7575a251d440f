import { type HostPort, hostPort } from '../state/application/claim.ts'
import type { Port } from '../state/application/container/container.ts'
import type { Listener, Listeners, Neighbour } from '../state/listeners.ts'

/** The ports of the ingress in its container. The operator chooses those on the host. */
export const ports = { http: 80, https: 443, health: 8080 } as const

/** A published port, and the key of the configuration that sets it. */
export type PublishedPort = { readonly key: string; readonly port: Port }

/** Returns the ports that the ingress publishes on the host. HTTP/3 uses UDP. */
export function publishedPorts({ http, https, health }: Listeners): readonly PublishedPort[] {
  return [
    ...published('http', http, 'tcp'),
    ...published('https', https, 'tcp'),
    ...published('https', https, 'udp'),
    ...(health === undefined ? [] : published('health', health, 'tcp')),
  ]
}

/** The owner of a port of the host, and the key of the configuration that says so. */
type Reserved = { readonly who: string; readonly where: string; readonly claim: HostPort }

/**
 * Returns these ports as claims on the host that nobody else can have: those of the environment's own ingress, if it
 * has one, and of others.
 */
export function reservedPorts(
  own: Listeners | undefined,
  neighbours: readonly Neighbour[],
): readonly Reserved[] {
  return [
    ...(own === undefined ? [] : reserved('the ingress', own)),
    ...neighbours.flatMap(({ environment, listeners }) =>
      reserved(`the ingress of ${environment}`, listeners).map(one => ({
        ...one,
        where: '/ingress in tallyman.yaml',
      })),
    ),
  ]
}

function reserved(who: string, listeners: Listeners): readonly Reserved[] {
  return publishedPorts(listeners).flatMap(({ key, port }) => {
    const claim = hostPort(port)
    return claim === undefined ? [] : [{ who, where: `${key} in tallyman.yaml`, claim }]
  })
}

function published(
  name: keyof typeof ports,
  { port, addresses }: Listener,
  protocol: Port['protocol'],
): readonly PublishedPort[] {
  const whole = { target: ports[name], published: port, protocol }
  const each = addresses.length === 0 ? [whole] : addresses.map(hostIp => ({ ...whole, hostIp }))
  return each.map(port => ({ key: `/ingress/${name}`, port }))
}
