import type { Port } from '../../state/application/container/container.ts'
import { compareText } from '../../text/order.ts'

/** Returns `8080 → 80/tcp; 127.0.0.1:9000-9047 → 9000-9047/udp`. Consecutive ports are one range. */
export function portsText(ports: readonly Port[]): string {
  const sorted = [...ports].sort(
    (a, b) =>
      compareText(kindOf(a), kindOf(b)) || (a.published ?? 0) - (b.published ?? 0) || a.target - b.target,
  )
  const ranges: Range[] = []
  for (const port of sorted) {
    const range = ranges.at(-1)
    if (range !== undefined && continues(range, port)) range.last = port
    else ranges.push({ first: port, last: port })
  }
  return ranges.map(rangeText).join('; ')
}

type Range = { readonly first: Port; last: Port }

/**
 * Whether a port continues a range: the next port of the host, with the same port of the container or the next one, or
 * the same port again.
 */
function continues({ first, last }: Range, port: Port): boolean {
  if (kindOf(last) !== kindOf(port)) return false
  if (last.published === port.published && last.target === port.target) return true
  if (last.published === undefined || port.published !== last.published + 1) return false
  const step = port.target - last.target
  const width = last.published - (first.published ?? 0)
  return width === 0 ? step === 0 || step === 1 : step * width === last.target - first.target
}

function rangeText({ first, last }: Range): string {
  const address =
    first.hostIp === undefined ? '' : `${first.hostIp.includes(':') ? `[${first.hostIp}]` : first.hostIp}:`
  const published = first.published === undefined ? 'a free port' : span(first.published, last.published)
  return `${address}${published} → ${span(first.target, last.target)}/${first.protocol}`
}

function span(first: number, last: number | undefined): string {
  return last === undefined || first === last ? String(first) : `${first}-${last}`
}

/** Only ports of one kind form a range. */
function kindOf({ hostIp = '', protocol, published }: Port): string {
  return `${protocol} ${published === undefined} ${hostIp}`
}
