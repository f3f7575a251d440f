import { type Authority, authorityFault, authorityText, plainHost, usualPort } from './authority.ts'

/** Where the socket of an engine is, and who logs in there. */
export type SshPlace = Authority & {
  /** For messages: `ssh://deploy@10.0.0.7`. */
  readonly url: string
  /** The path of the socket on the host; absent: the one that Docker's command line uses there. */
  readonly socket?: string
}

/**
 * Reads `ssh://user@host`, with a port and the path of a socket if they are given. Returns the reason, in words, if
 * such an address cannot be used, and undefined for an address of another kind.
 */
export function parseSshEndpoint(text: string): SshPlace | string | undefined {
  if (!/^ssh:\/\//i.test(text)) return undefined
  if (!URL.canParse(text)) return 'is no valid URL'
  const { username, password, hostname, port, pathname, search, hash } = new URL(text)
  if (password !== '') return 'has a password, which is not used over SSH; take it out'
  if (search !== '' || hash !== '') return 'has something after its path'
  if (username === '') return 'names no user; say who logs in, as in ssh://deploy@host'
  const authority = {
    user: username,
    host: plainHost(hostname),
    port: port === '' ? usualPort : Number(port),
  }
  const fault = authorityFault(authority)
  if (fault !== undefined) return fault
  const isDefault = pathname === '' || pathname === '/'
  if (!isDefault && !/^(?:\/[\w.@+-]+)+$/.test(pathname))
    return 'has a path that is not that of a socket of letters, digits and the signs . _ - + @'
  return {
    ...authority,
    url: `ssh://${username}@${authorityText(authority)}${isDefault ? '' : pathname}`,
    ...(isDefault ? {} : { socket: pathname }),
  }
}
