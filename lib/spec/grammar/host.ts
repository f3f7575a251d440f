import { isIP } from 'node:net'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses an entry of a container's hosts file, `name:address` or `name=address`. Returns it in the engine's form. */
export function parseExtraHost(text: string): Parsed<string> {
  const [, name, address] = /^([^:=]*)[:=](.*)$/.exec(text) ?? []
  if (name === undefined || address === undefined)
    return malformed(`"${text}" is no host entry; write for example db:10.0.0.5`)
  return extraHost(name, address)
}

/** Does the same for the two parts. `host-gateway` stands for the host's own address. */
export function extraHost(name: string, address: string): Parsed<string> {
  if (!isHostname(name, 253)) return malformed(`"${name}" is no host name`)
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  if (bare !== 'host-gateway' && !isAddress(bare)) return malformed(`"${address}" is no IP address`)
  return parsed(`${name}:${bare}`)
}

/** Parses a host name of RFC 1123, with at most 63 characters as in Linux. `_` is accepted, as Docker does. */
export function parseHostname(text: string): Parsed<string> {
  return isHostname(text, 63) ? parsed(text) : malformed(`"${text}" is no host name`)
}

/** Parses the host name of a container, by which others reach it. */
export function parseOwnHostname(text: string): Parsed<string> {
  const name = parseHostname(text)
  return name.ok ? reachable(text) : name
}

/** Parses a name by which others reach a service. It may be as long as a domain name. */
export function parseAlias(text: string): Parsed<string> {
  return isHostname(text, 253) ? reachable(text) : malformed(`"${text}" is no host name`)
}

/**
 * Accepts a name that others can look up in a name server. It is neither in every container's own hosts file nor read
 * as an address.
 */
function reachable(text: string): Parsed<string> {
  const name = text.toLowerCase()
  if (isEverybodysOwn(text))
    return malformed(`"${text}" is what every container calls itself; nobody else can be reached by it`)
  if (name.endsWith('.docker.internal'))
    return malformed(`"${text}" is a name that Docker gives to the host; choose another one`)
  if (name.split('.').every(label => /^(\d+|0x[0-9a-f]*)$/.test(label)))
    return malformed(`"${text}" is read as an address and never looked up; begin it with a letter`)
  return parsed(text)
}

/** Whether every container knows itself by that name, in any case. */
export function isEverybodysOwn(text: string): boolean {
  const name = text.toLowerCase()
  return /(^|\.)localhost$/.test(name) || ownNames.includes(name)
}

/** Names in the hosts file that the engine writes for every container. */
const ownNames = [
  'localhost.localdomain',
  'ip6-localhost',
  'ip6-loopback',
  'ip6-localnet',
  'ip6-mcastprefix',
  'ip6-allnodes',
  'ip6-allrouters',
]

/**
 * Whether a text is an address of a host. The engine cannot read one with a zone, and would publish on all addresses.
 */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

/** Parses a domain in which short names are looked up. A single dot stands for none. */
export function parseSearchDomain(text: string): Parsed<string> {
  return text === '.' || isHostname(text.replace(/\.$/, ''), 253)
    ? parsed(text)
    : malformed(`"${text}" is no domain`)
}

/** Parses an option of resolv.conf: `ndots:1`, `rotate`. */
export function parseResolverOption(text: string): Parsed<string> {
  return /^[a-z0-9][a-z0-9-]{0,31}(:\d{1,5})?$/i.test(text)
    ? parsed(text)
    : malformed(`"${text}" is no option of resolv.conf; write for example ndots:1`)
}

/** Parses an IPv4 or IPv6 address. */
export function parseIpAddress(text: string): Parsed<string> {
  return isIP(text) === 0 ? malformed(`"${text}" is no IP address`) : parsed(text)
}

function isHostname(text: string, longest: number): boolean {
  return (
    text.length <= longest &&
    text.split('.').every(label => /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/i.test(label))
  )
}
