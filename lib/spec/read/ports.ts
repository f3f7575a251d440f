import type { Port } from '../../state/application/container/container.ts'
import { compareText } from '../../text/order.ts'
import type { Port as Written } from '../application.gen.ts'
import { expandPorts, parsePorts } from '../grammar/port.ts'
import type { Spot } from '../spot.ts'

/** Reads Compose's `ports`, one by one. They are sorted, so that another order is no difference (G2). */
export function readPorts(written: readonly Written[], spot: Spot): readonly Port[] {
  return portEntries(written, spot)
    .map(({ port }) => port)
    .sort(inOrder)
}

/**
 * Returns the ports as they are written, each with the number of its entry. A port that is written twice is returned
 * once.
 */
export function portEntries(
  written: readonly Written[],
  spot: Spot,
): readonly { readonly port: Port; readonly entry: number }[] {
  const all = written.flatMap((one, entry) => readPort(one, spot.at(entry)).map(port => ({ port, entry })))
  return [...new Map(all.toReversed().map(one => [spell(one.port), one])).values()].toReversed()
}

function readPort(written: Written, spot: Spot): readonly Port[] {
  if (typeof written !== 'object') return spot.take(parsePorts(spot.text(written))) ?? []
  const { target, published, host_ip: hostIp, protocol = 'tcp' } = written
  return (
    spot.take(
      expandPorts({
        target: String(target),
        published: published === undefined ? undefined : spot.at('published').text(published),
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
  return a.target - b.target || compareText(spell(a), spell(b))
}
