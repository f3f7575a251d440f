import { authorityFault, authorityText, plainHost, usualPort } from '../../ssh/authority.ts'
import { percentDecoded } from '../../text/percent-decoded.ts'
import { withoutEnd } from '../../text/without-end.ts'

/** A repository that is read over SSH. Every part of it is safe as an argument of ssh. */
export type SshAddress = {
  readonly kind: 'ssh'
  /** `ssh://host/team/manifests`: the same for equal addresses, without user and `.git`. */
  readonly name: string
  /** For messages: `ssh://git@host:2222/team/manifests.git`. */
  readonly url: string
  readonly user: string
  readonly host: string
  readonly port: number
  /** The path that is sent to the server: relative to the home directory of the user, or absolute. */
  readonly path: string
}

/**
 * Reads `ssh://user@host:port/path` and `user@host:path`. Returns the reason, in words, if such an address cannot be
 * used, and undefined for an address of another kind.
 */
export function parseSshAddress(text: string): SshAddress | string | undefined {
  if (/^ssh:\/\//i.test(text)) return ofUrl(text)
  const [, user, host, path] = /^([^/@:]*)@(\[[^\]]*\]|[^/@:]+):(.*)$/s.exec(text) ?? []
  if (user !== undefined && host !== undefined && path !== undefined)
    return checked({ user, host, port: usualPort, path })
  // A text with a slash before its first colon is a path on this machine.
  return /^[^/@:]+\.[^/@:.]+:[^/]/.test(text)
    ? 'names a host and no user; say who logs in, as in git@host:path'
    : undefined
}

type Parts = Pick<SshAddress, 'user' | 'host' | 'port' | 'path'>

function ofUrl(text: string): SshAddress | string {
  if (!URL.canParse(text)) return 'is no valid URL'
  const { username, password, hostname, port, pathname, search, hash } = new URL(text)
  if (password !== '') return 'has a password, which is not used over SSH; take it out'
  if (search !== '' || hash !== '') return 'has something after its path'
  const [user, path] = [percentDecoded(username), percentDecoded(pathname)]
  if (user === undefined || path === undefined) return 'is not percent-encoded as it should be'
  if (user === '') return 'names no user; say who logs in, as in ssh://git@host/path'
  return checked({ user, host: hostname, port: port === '' ? usualPort : Number(port), path })
}

/** A path that begins with a dash would be an option to git on the server. */
function checked(parts: Parts): SshAddress | string {
  const { user, port } = parts
  const host = plainHost(parts.host)
  const path = withoutEnd(parts.path.replace(/^\/(?=~)/, ''), '/') || parts.path.slice(0, 1)
  const fault = authorityFault({ user, host, port })
  if (fault !== undefined) return fault
  if (path === '' || path === '/') return 'names no path'
  if (path.startsWith('-')) return 'has a path that begins with a dash'
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'has a path with control characters'
  const authority = authorityText({ host, port })
  const below = path.replace(/^\/*/, '/')
  return {
    kind: 'ssh',
    name: `ssh://${authority}${below.replace(/\.git$/, '')}`,
    url: `ssh://${user}@${authority}${below}`,
    user,
    host,
    port,
    path,
  }
}
