import { isIPv6 } from 'node:net'
import { Secret, type Text } from '../../state/secret/secret.ts'
import type { Spot } from '../spot.ts'

/**
 * Notes a fault for an address without one of these schemes, and for one of a database without a user (P23). No message
 * shows the address, because it may contain a password. A secret is not checked.
 */
export function faultAddress(text: Text, schemes: readonly string[], spot: Spot): void {
  if (text instanceof Secret) return
  const url = URL.parse(text)
  if (url === null || url.hostname === '')
    spot.fault(
      `is no address such as ${schemes[0]}://host; special characters of a password are percent-encoded`,
    )
  else if (!schemes.includes(url.protocol.slice(0, -1)))
    spot.fault(`has to begin with ${schemes[0]}://, not ${url.protocol}//`)
  else if (isDatabase(schemes) && url.username === '')
    spot.fault('names no user, but it has to be enough to connect with')
}

function isDatabase([scheme]: readonly string[]): boolean {
  return scheme === 'postgres'
}

/** Notes a fault for a text that is no host name or address, with or without a port. */
export function faultHostAndPort(text: Text, spot: Spot): void {
  if (text instanceof Secret || /^[^\s|/@]+$/.test(text)) return
  spot.fault(`"${text}" is no host`)
}

/** Notes a fault for a text that is no host name or address, which must not have a port. A secret is not checked. */
export function faultHost(text: Text, spot: Spot): void {
  if (text instanceof Secret || isPlainIPv6(text)) return
  if (/^[^\s|/@:]+:\d+$/.test(text)) spot.fault(`"${text}" has a port, which stands in "port"`)
  else if (!/^[^\s|/@:?#%[\]\\]+$/.test(text)) spot.fault(`"${text}" is no host`)
}

/** Does the same for a host that becomes part of an address, where one of IPv6 may have its brackets already. */
export function faultHostInAddress(text: Text, spot: Spot): void {
  const bare = text instanceof Secret ? undefined : /^\[(.*)\]$/.exec(text)?.[1]
  if (bare === undefined || !isPlainIPv6(bare)) faultHost(text, spot)
}

/** Returns a host as it stands in an address: one of IPv6 in brackets. */
export function hostInAddress(host: string): string {
  return isPlainIPv6(host) ? `[${host}]` : host
}

/** A zone means something on one machine only, and stands in no address. */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%')
}
