import { isIPv6 } from 'node:net'

/** Who logs in, and where. */
export type Authority = { readonly user: string; readonly host: string; readonly port: number }

/** The port of SSH. */
export const usualPort = 22

/**
 * Returns why somebody cannot log in there; undefined if it is possible. A text that begins with a dash would be an
 * option to ssh.
 */
export function authorityFault({ user, host, port }: Authority): string | undefined {
  if (!/^[a-z0-9_][a-z0-9_.+@-]{0,127}$/i.test(user)) return 'has a user that cannot be one'
  if (!/^[a-z0-9]([a-z0-9_.-]{0,250}[a-z0-9])?$/.test(host) && !isAddress(host))
    return 'has a host that cannot be one'
  if (port === 0) return 'has a port that cannot be one'
  return undefined
}

/** Returns a host and its port as they stand in an address: `[::1]:2222`, and without the usual port. */
export function authorityText({ host, port }: Omit<Authority, 'user'>): string {
  return `${host.includes(':') ? `[${host}]` : host}${port === usualPort ? '' : `:${port}`}`
}

/** Returns a host as it stands in an address, without brackets and capitals. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
}

function isAddress(host: string): boolean {
  return isIPv6(host) && !host.includes('%')
}
