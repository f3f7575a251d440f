import { createHash, createHmac } from 'node:crypto'

/** The public keys of one host that a file of known hosts names, as they are sent over the wire. */
export type HostKeys = {
  readonly trusted: readonly Buffer[]
  /** Never accepted, whatever else the file says. */
  readonly revoked: readonly Buffer[]
}

/**
 * Returns the keys of a host in the text of a file in the format of OpenSSH's `known_hosts`: names, patterns with `*`,
 * `?` and `!`, hashed names, `[host]:port`, and `@revoked`. Lines with other markers, such as `@cert-authority`, and
 * lines that cannot be read are passed over, so that they make no host known.
 */
export function keysOfHost(text: string, host: string, port: number): HostKeys {
  const name = port === 22 ? host : `[${host}]:${port}`
  const lines = text.split(/\r?\n/).flatMap(line => lineFor(name.toLowerCase(), line))
  const keys = (isRevoked: boolean) =>
    lines.filter(line => line.isRevoked === isRevoked).map(({ key }) => key)
  return { trusted: keys(false), revoked: keys(true) }
}

type Line = { readonly isRevoked: boolean; readonly key: Buffer }

function lineFor(name: string, line: string): readonly Line[] {
  const [, marker, hosts = '', , blob = ''] =
    /^\s*(@\S+\s+)?([^\s#@]\S*)\s+(\S+)\s+([A-Za-z0-9+/]+={0,2})(?:\s|$)/.exec(line) ?? []
  const isRevoked = marker?.trim() === '@revoked'
  if (hosts === '' || (marker !== undefined && !isRevoked) || !isMeant(name, hosts)) return []
  return [{ isRevoked, key: Buffer.from(blob, 'base64') }]
}

/** Whether a list of patterns, or a hashed name, means a host. A pattern with `!` takes a host out. */
function isMeant(name: string, hosts: string): boolean {
  if (hosts.startsWith('|')) return isHashOf(name, hosts)
  const patterns = hosts.toLowerCase().split(',')
  const isThere = (pattern: string) => matches(pattern, name)
  const excluded = patterns.filter(pattern => pattern.startsWith('!')).map(pattern => pattern.slice(1))
  return patterns.some(isThere) && !excluded.some(isThere)
}

function isHashOf(name: string, hashed: string): boolean {
  const [, version, salt, hash] = hashed.split('|')
  if (version !== '1' || salt === undefined || hash === undefined) return false
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
}

/** In time that grows with the product of both lengths at most, whatever the pattern is. */
function matches(pattern: string, name: string): boolean {
  let [at, star, from] = [0, -1, 0]
  for (let index = 0; index < name.length; ) {
    const sign = pattern[at]
    if (sign === '*') {
      star = at
      from = index
      at += 1
    } else if (sign === '?' || (sign !== undefined && sign === name[index])) {
      at += 1
      index += 1
    } else if (star >= 0) {
      from += 1
      index = from
      at = star + 1
    } else return false
  }
  return /^\**$/.test(pattern.slice(at))
}

/** Returns the key in `ssh-ed25519 AAAA…`, as `ssh-keyscan` and files of public keys have it; undefined if it is none. */
export function hostKeyIn(text: string): Buffer | undefined {
  const [, type, blob = ''] = /^\s*(\S+)\s+(AAAA[A-Za-z0-9+/]*={0,2})(?:\s|$)/.exec(text) ?? []
  const key = Buffer.from(blob, 'base64')
  return type !== undefined && keyType(key) === type ? key : undefined
}

/** Returns the type with which a public key begins, such as `ssh-ed25519`; empty if it is no key. */
export function keyType(key: Buffer): string {
  if (key.byteLength < 4) return ''
  const length = key.readUInt32BE(0)
  return length > 64 ? '' : key.toString('latin1', 4, 4 + length)
}

/** Returns the line that makes a key known. */
export function knownHostLine(key: Buffer, host: string, port: number): string {
  const name = port === 22 ? host : `[${host}]:${port}`
  return `${name} ${keyType(key)} ${key.toString('base64')}`
}

/** Returns the fingerprint of a key as OpenSSH prints it: `SHA256:…`. */
export function keyFingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=$/, '')}`
}
