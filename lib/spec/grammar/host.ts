import { isIP } from 'node:net'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** An entry of a container's hosts file, `name:address` or `name=address`, as the engine takes it. */
export function parseExtraHost(text: string): Parsed<string> {
  const [, name, address] = /^([^:=]*)[:=](.*)$/.exec(text) ?? []
  if (name === undefined || address === undefined)
    return malformed(`"${text}" is no host entry; write for example db:10.0.0.5`)
  return extraHost(name, address)
}

/** The same from its two parts; `host-gateway` stands for the host's own address. */
export function extraHost(name: string, address: string): Parsed<string> {
  if (!isHostname(name, 253)) return malformed(`"${name}" is no host name`)
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  if (bare !== 'host-gateway' && isIP(bare) === 0) return malformed(`"${address}" is no IP address`)
  return parsed(`${name}:${bare}`)
}

/** A host name of RFC 1123, at most 63 characters as Linux allows; `_` is let through as Docker does. */
export function parseHostname(text: string): Parsed<string> {
  return isHostname(text, 63) ? parsed(text) : malformed(`"${text}" is no host name`)
}

/** A name under which others reach a service, as long as names of domains may be. */
export function parseAlias(text: string): Parsed<string> {
  return isHostname(text, 253) ? parsed(text) : malformed(`"${text}" is no host name`)
}

/** A domain that short names are looked up in; a dot alone stands for none. */
export function parseSearchDomain(text: string): Parsed<string> {
  return text === '.' || isHostname(text.replace(/\.$/, ''), 253)
    ? parsed(text)
    : malformed(`"${text}" is no domain`)
}

/** An option of resolv.conf: `ndots:1`, `rotate`. */
export function parseResolverOption(text: string): Parsed<string> {
  return /^[a-z0-9][a-z0-9-]{0,31}(:\d{1,5})?$/i.test(text)
    ? parsed(text)
    : malformed(`"${text}" is no option of resolv.conf; write for example ndots:1`)
}

/** An IPv4 or IPv6 address. */
export function parseAddress(text: string): Parsed<string> {
  return isIP(text) === 0 ? malformed(`"${text}" is no IP address`) : parsed(text)
}

function isHostname(text: string, longest: number): boolean {
  return (
    text.length <= longest &&
    text.split('.').every(label => /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/i.test(label))
  )
}
