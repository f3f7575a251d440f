import { isIPv4 } from 'node:net'
import type { Port } from '../../state/application/container.ts'
import type { Spot } from '../spot.ts'
import type { PodPlace } from './place.ts'
import type { PodManifest, Port as WrittenPort } from './pod.gen.ts'

/** A port that a pod publishes, and where that is written. */
export type ForwardedPort = { readonly port: Port; readonly place: Spot }

type Written = NonNullable<PodManifest['ports']>[number]

/**
 * Returns the ports that a pod publishes on the host, one by one: those that it lists, and no other port of its apps
 * (C30, C31).
 */
export function readPodPorts(
  { apps, ports = [] }: Pick<PodManifest, 'apps' | 'ports'>,
  root: PodPlace,
): readonly ForwardedPort[] {
  apps.forEach(({ app }, index) => {
    app?.ports?.forEach((port, number) => {
      faultPort(port, root.at('apps', index, 'app', 'ports', number))
    })
  })
  const declared = Map.groupBy(
    apps.flatMap(({ app }) => app?.ports ?? []),
    ({ name }) => name,
  )
  return ports.flatMap((written, index) => {
    const place = root.at('ports', index)
    const { hostIP } = written
    if (hostIP !== undefined && !isIPv4(hostIP))
      place.invalid
        .at('hostIP')
        .fault(`"${hostIP.slice(0, 40)}" is no IPv4 address; write for example 203.0.113.23`)
    const meant = written.podPort ?? portNamed(written.name, declared, place.unrunnable)
    if (written.podPort !== undefined) faultPort(written.podPort, place.at('podPort'))
    return meant === undefined ? [] : forwarded(written, meant, place)
  })
}

function portNamed(
  name: string,
  declared: ReadonlyMap<string, readonly WrittenPort[]>,
  place: Spot,
): WrittenPort | undefined {
  const [port, other] = declared.get(name) ?? []
  if (port === undefined)
    place.at('name').fault(`is "${name}", and no app declares such a port; declare it, or give a "podPort"`)
  if (other !== undefined)
    place.at('name').fault(`is "${name}", which several apps declare; give a "podPort"`)
  return other === undefined ? port : undefined
}

function faultPort(
  { port, count = 1, socketActivated }: WrittenPort,
  { invalid, unrunnable }: PodPlace,
): void {
  if (socketActivated === true)
    unrunnable.at('socketActivated').fault('is true, and Docker hands no open sockets to containers')
  if (port + count - 1 > lastPort)
    invalid.at('count').fault(`leads to port ${port + count - 1}, and ${lastPort} is the last one`)
}

const lastPort = 65_535

function forwarded(
  { hostPort, hostIP }: Written,
  { port, protocol, count = 1 }: WrittenPort,
  { invalid, unrunnable }: PodPlace,
): readonly ForwardedPort[] {
  if (hostPort + count - 1 > lastPort) {
    unrunnable.at('hostPort').fault(`leads to port ${hostPort + count - 1}, and ${lastPort} is the last one`)
    return []
  }
  const hostIp = hostIP === undefined ? {} : { hostIp: hostIP }
  return Array.from({ length: count }, (_, index) => ({
    port: { target: port + index, published: hostPort + index, ...hostIp, protocol },
    place: invalid,
  }))
}
