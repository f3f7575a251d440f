import { isIPv4 } from 'node:net'
import type { Port } from '../../state/application/container/container.ts'
import type { Spot } from '../spot.ts'
import { declaredSection } from './image/image-section.ts'
import type { PodPlace } from './place.ts'
import type { PodManifest, Port as WrittenPort } from './pod.gen.ts'
import type { ResolvedApp } from './reify.ts'

/** A port that a pod publishes, and where that is written. */
export type ForwardedPort = { readonly port: Port; readonly place: Spot }

type Written = NonNullable<PodManifest['ports']>[number]

/**
 * Returns the ports that a pod publishes on the host, one by one: those that it lists, and no other port of its apps
 * (C30, C31). An app without a section of its own has the ports of its image (C5).
 */
export function readPodPorts(
  { ports = [] }: Pick<PodManifest, 'ports'>,
  apps: readonly Pick<ResolvedApp, 'written' | 'declared'>[],
  root: PodPlace,
): readonly ForwardedPort[] {
  apps.forEach(({ written: { app } }, index) => {
    app?.ports?.forEach((port, number) => {
      faultPort(port, root.at('apps', index, 'app', 'ports', number))
    })
  })
  const known = portsOf(apps, root)
  return ports.flatMap((written, index) => {
    const place = root.at('ports', index)
    const { hostIP } = written
    if (hostIP !== undefined && !isIPv4(hostIP))
      place.invalid
        .at('hostIP')
        .fault(`"${hostIP.slice(0, 40)}" is no IPv4 address; write for example 203.0.113.23`)
    const named = () => (place.isLeftOut('podPort') ? undefined : portNamed(written.name, known, place))
    const meant = written.podPort ?? named()
    if (written.podPort !== undefined) faultPort(written.podPort, place.at('podPort'))
    return meant === undefined ? [] : forwarded(written, meant, place)
  })
}

/** The ports of all apps. */
type KnownPorts = {
  readonly byName: ReadonlyMap<string, readonly WrittenPort[]>
  /** Those of images, which have no names there. */
  readonly ofImages: readonly WrittenPort[]
  /** There is an image of which nothing is known, because nobody was asked, or an app whose ports were left out. */
  readonly mayBeMore: boolean
}

function portsOf(apps: readonly Pick<ResolvedApp, 'written' | 'declared'>[], root: PodPlace): KnownPorts {
  const ofImages = apps.flatMap(({ written: { app }, declared }) =>
    app === undefined && declared !== undefined ? declaredSection(declared).ports : [],
  )
  const own = apps.flatMap(({ written: { app } }) => app?.ports ?? [])
  return {
    byName: Map.groupBy([...own, ...ofImages], ({ name }) => name),
    ofImages: [...new Map(ofImages.map(port => [port.name, port])).values()],
    mayBeMore:
      apps.some(({ written: { app }, declared }) => app === undefined && declared === undefined) ||
      apps.some((_, index) => root.isLeftOut('apps', index, 'app', 'ports')),
  }
}

/**
 * Images give their ports no names. So a name that no app has means the only port of the images, with a warning, or one
 * of them by its number: `21-tcp`.
 */
function portNamed(
  name: string,
  { byName, ofImages, mayBeMore }: KnownPorts,
  { unrunnable, changed }: PodPlace,
): WrittenPort | undefined {
  const [port, other] = byName.get(name) ?? []
  if (other !== undefined)
    unrunnable.at('name').fault(`is "${name}", which several apps declare; give a "podPort"`)
  if (other !== undefined || port !== undefined) return other === undefined ? port : undefined
  if (mayBeMore) return undefined
  const [only, ...others] = ofImages
  if (only !== undefined && others.length === 0) {
    changed
      .at('name')
      .fault(`is "${name}", which no app declares; the only port of the images, ${only.name}, is published`)
    return only
  }
  const which = ofImages.length === 0 ? '' : `; its images have ${ofImages.map(one => one.name).join(', ')}`
  unrunnable
    .at('name')
    .fault(`is "${name}", and no app declares such a port${which}; declare it, or give a "podPort"`)
  return undefined
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
