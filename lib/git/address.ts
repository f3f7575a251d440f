import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../errors.ts'
import { percentDecoded } from '../text/percent-decoded.ts'
import { maskCredentials } from '../text/redaction/mask.ts'
import { withoutEnd } from '../text/without-end.ts'
import { parseSshAddress, type SshAddress } from './ssh/address.ts'

/** The address of a repository. Equal addresses have the same `name`, which contains no credentials. */
export type Address =
  | SshAddress
  | { readonly kind: 'remote'; readonly name: string; readonly url: string; readonly login: UrlLogin }
  /** `plain`: it was given as a path, not as `file://`. */
  | { readonly kind: 'local'; readonly name: string; readonly path: string; readonly plain: boolean }

/** The login in front of the `@`. Each part is empty if the address has none. */
export type UrlLogin = { readonly username: string; readonly password: string }

/**
 * Reads `http(s)://`, `ssh://`, `user@host:path`, `file://` and paths. Fails with `repository-invalid`, and never shows
 * credentials.
 */
export function parseRepositoryAddress(text: string): Address {
  const ssh = parseSshAddress(text)
  if (typeof ssh === 'string') throw invalid(text, ssh)
  if (ssh !== undefined) return ssh
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'file') return local(pathOf(text), false)
  if (scheme === 'http' || scheme === 'https') return remote(text)
  if (scheme !== undefined)
    throw invalid(text, 'only http://, https://, ssh://, user@host:path, file:// and paths can be read')
  if (text === '') throw invalid(text, 'no address is given')
  return local(resolve(text), true)
}

function remote(text: string): Address {
  if (!URL.canParse(text)) throw invalid(text, 'is no valid URL')
  const url = new URL(text)
  const login = {
    username: percentDecoded(url.username) ?? url.username,
    password: percentDecoded(url.password) ?? url.password,
  }
  const path = withoutEnd(url.pathname, '/')
  return {
    kind: 'remote',
    name: `${url.origin}${path.replace(/\.git$/, '')}`,
    url: `${url.origin}${path}`,
    login,
  }
}

function local(path: string, plain: boolean): Address {
  const bare = path.replace(/(?<=[^/])(?:\/\.git|\.git)$/, '')
  return { kind: 'local', name: `file://${bare}`, path, plain }
}

function pathOf(text: string): string {
  try {
    return resolve(fileURLToPath(text))
  } catch {
    throw invalid(text, 'is no file:// address with an absolute path')
  }
}

function invalid(text: string, what: string): Failure {
  return new Failure('repository-invalid', `repository "${maskCredentials(text)}": ${what}`)
}
