import type { Port } from '../../state/container.ts'
import type { Port as Written } from '../application.gen.ts'
import { expand, parsePorts } from '../grammar/port.ts'
import type { Spot } from '../spot.ts'

/** Compose's `ports`, one by one and in one order, so that writing them in another is no difference (G2). */
export function readPorts(written: readonly Written[], spot: Spot): readonly Port[] {
  const ports = new Map<string, Port>()
  const taken = new Map<string, Port>()
  written.forEach((entry, index) => {
    for (const port of readPort(entry, spot.at(index))) {
      if (ports.has(spell(port))) continue
      ports.set(spell(port), port)
      if (port.published === undefined) continue
      const place = `${port.hostIp ?? ''}:${port.published}/${port.protocol}`
      if (taken.has(place)) spot.at(index).fault(`publishes host port ${port.published} a second time`)
      taken.set(place, port)
    }
  })
  return [...ports.values()].sort(inOrder)
}

function readPort(written: Written, spot: Spot): readonly Port[] {
  if (typeof written !== 'object') return spot.take(parsePorts(String(written))) ?? []
  const { target, published, host_ip: hostIp, protocol = 'tcp' } = written
  return (
    spot.take(
      expand({
        target: String(target),
        published: published === undefined ? undefined : String(published),
        hostIp,
        protocol,
      }),
    ) ?? []
  )
}

function spell({ hostIp, published, target, protocol }: Port): string {
  return `${hostIp ?? ''}:${published ?? ''}:${target}/${protocol}`
}

function inOrder(a: Port, b: Port): number {
  return a.target - b.target || (spell(a) < spell(b) ? -1 : 1)
}
