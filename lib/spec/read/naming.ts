import type { Container as Model } from '../../state/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import type { Container } from '../application.gen.ts'
import { extraHost, parseAddress, parseExtraHost, parseHostname } from '../grammar/host.ts'
import { isPresent, present } from '../present.ts'
import type { Spot } from '../spot.ts'

/** How a container is named and finds others by name. */
export type Naming = Pick<Model, 'hostname' | 'extraHosts' | 'dns'>

/** `hostname`, `extra_hosts` (sorted by name) and `dns` (in its order: the first one is asked first). */
export function readNaming(written: Container, spot: Spot): Naming {
  const { hostname, extra_hosts: hosts, dns } = written
  return present({
    hostname: hostname === undefined ? undefined : spot.at('hostname').take(parseHostname(hostname)),
    extraHosts: hosts === undefined ? undefined : readHosts(hosts, spot.at('extra_hosts')),
    dns: dns === undefined ? undefined : readServers(dns, spot.at('dns')),
  })
}

function readHosts(written: NonNullable<Container['extra_hosts']>, spot: Spot): readonly string[] {
  const entries: readonly (readonly [string | number, Parsed<string>])[] = Array.isArray(written)
    ? written.map((text, index) => [index, parseExtraHost(text)])
    : Object.entries(written).map(([name, address]) => [name, extraHost(name, address)])
  return entries
    .map(([key, entry]) => spot.at(key).take(entry))
    .filter(isPresent)
    .sort((a, b) => compare(nameOf(a), nameOf(b)))
}

function readServers(written: string | readonly string[], spot: Spot): readonly string[] {
  if (typeof written === 'string') return [spot.take(parseAddress(written))].filter(isPresent)
  return written.map((text, index) => spot.at(index).take(parseAddress(text))).filter(isPresent)
}

function nameOf(entry: string): string {
  return entry.slice(0, entry.indexOf(':'))
}

/** Entries of one name keep their order: the first address answers first. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
