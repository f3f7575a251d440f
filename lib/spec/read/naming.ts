import type { Container as Model } from '../../state/application/container/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import { byText } from '../../text/order.ts'
import type { Container } from '../application.gen.ts'
import {
  extraHost,
  parseExtraHost,
  parseIpAddress,
  parseOwnHostname,
  parseResolverOption,
  parseSearchDomain,
} from '../grammar/host.ts'
import { isPresent, present } from '../present.ts'
import type { Spot } from '../spot.ts'

/** A container's own names, and how it finds others by name. */
export type Naming = Pick<Model, 'hostname' | 'extraHosts' | 'dns' | 'dnsSearch' | 'dnsOptions'>

/**
 * Reads `hostname`, `extra_hosts` (sorted by name) and the entries of `resolv.conf` (in their order, because the first
 * one is asked first).
 */
export function readNaming(written: Container, spot: Spot): Naming {
  const { hostname, extra_hosts: hosts, dns, dns_search: search, dns_opt: options } = written
  return present({
    hostname: hostname === undefined ? undefined : spot.at('hostname').take(parseOwnHostname(hostname)),
    extraHosts: hosts === undefined ? undefined : readHosts(hosts, spot.at('extra_hosts')),
    dns: dns === undefined ? undefined : readList(dns, parseIpAddress, spot.at('dns')),
    dnsSearch: search === undefined ? undefined : readList(search, parseSearchDomain, spot.at('dns_search')),
    dnsOptions:
      options === undefined ? undefined : readList(options, parseResolverOption, spot.at('dns_opt')),
  })
}

function readHosts(written: NonNullable<Container['extra_hosts']>, spot: Spot): readonly string[] {
  const entries: readonly (readonly [string | number, Parsed<string>])[] = Array.isArray(written)
    ? written.map((text, index) => [index, parseExtraHost(text)])
    : Object.entries(written).map(([name, address]) => [name, extraHost(name, address)])
  // Entries with the same name keep their order, because the first address answers first.
  return entries
    .map(([key, entry]) => spot.at(key).take(entry))
    .filter(isPresent)
    .sort(byText(nameOf))
}

function readList(
  written: string | readonly string[],
  parse: (text: string) => Parsed<string>,
  spot: Spot,
): readonly string[] {
  if (typeof written === 'string') return [spot.take(parse(written))].filter(isPresent)
  return written.map((text, index) => spot.at(index).take(parse(text))).filter(isPresent)
}

function nameOf(entry: string): string {
  return entry.slice(0, entry.indexOf(':'))
}
