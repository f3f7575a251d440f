import type { Port } from '../../state/application/container/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import { isAddress } from './host.ts'

/**
 * Parses Compose's short syntax `[[IP:][HOST]:]CONTAINER[/PROTOCOL]`. A range of host ports stands for equally many
 * container ports, one by one.
 */
export function parsePorts(text: string): Parsed<readonly Port[]> {
  const [, bracketed, plain, host, container, protocol = 'tcp'] = shortSyntax.exec(text) ?? []
  if (container === undefined)
    return malformed(`"${text}" is no port; write for example 80, 8080:80 or 127.0.0.1:8080:80/udp`)
  if (protocol !== 'tcp' && protocol !== 'udp' && protocol !== 'sctp')
    return malformed(`"${text}" has the protocol "${protocol}"; there are tcp, udp and sctp`)
  return expandPorts({
    hostIp: bracketed ?? plain,
    published: host || undefined,
    target: container,
    protocol,
  })
}

/** Returns how many ports a text stands for. The text need not be valid. */
export function countPorts(text: string): number {
  const [, first, last] = /(\d{1,5})-(\d{1,5})(?:\/[a-z]+)?$/.exec(text.slice(-longestRange)) ?? []
  return first === undefined ? 1 : Math.max(1, Number(last) - Number(first) + 1)
}

const longestRange = 20

/** The parts of a port as written, including ranges. */
export type WrittenPort = {
  readonly hostIp: string | undefined
  readonly published: string | undefined
  readonly target: string
  readonly protocol: Port['protocol']
}

/** Returns one port for each pair of a range. */
export function expandPorts(written: WrittenPort): Parsed<readonly Port[]> {
  const { hostIp, protocol } = written
  if (hostIp !== undefined && !isAddress(hostIp)) return malformed(`"${hostIp}" is no IP address`)
  const targets = readRange(written.target)
  if (!targets.ok) return targets
  const published = written.published === undefined ? parsed(undefined) : readRange(written.published)
  if (!published.ok) return published
  if (published.value !== undefined && published.value.length !== targets.value.length)
    return malformed(
      `${written.published}:${written.target} pairs ${published.value.length} host ports with ${targets.value.length} container ports`,
    )
  return parsed(
    targets.value.map((target, index) => {
      const host = published.value?.[index]
      return {
        target,
        ...(host === undefined ? {} : { published: host }),
        ...(hostIp === undefined ? {} : { hostIp }),
        protocol,
      }
    }),
  )
}

const range = String.raw`\d{1,5}(?:-\d{1,5})?`
const shortSyntax = new RegExp(
  String.raw`^(?:(?:\[([^\]]*)\]|([^:\[\]]*)):(?=[^:]*:))?(?:(${range})?:)?(${range})(?:/([a-z]+))?$`,
)

function readRange(text: string): Parsed<readonly number[]> {
  const [first = 0, last = first] = text.split('-').map(Number)
  if (![first, last].every(port => Number.isInteger(port) && port >= 1 && port <= 65535))
    return malformed(`${text} is not between 1 and 65535`)
  if (last < first) return malformed(`${text} runs backwards`)
  return parsed(Array.from({ length: last - first + 1 }, (_, index) => first + index))
}
