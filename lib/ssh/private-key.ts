import type { Stats } from 'node:fs'

/** Why a private key cannot be used, and what to do about it if that is not plain. */
export type KeyFault = { readonly what: string; readonly hint?: string }

/** Returns why a text cannot be used as a private key by a program alone; undefined if it seems to be one. */
export function keyFault(text: string): KeyFault | undefined {
  const [, kind, body = ''] = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----\r?\n([^-]*)/.exec(text) ?? []
  if (kind === undefined)
    return /^(?:ssh-|ecdsa-|sk-)\S+ AAAA/m.test(text)
      ? { what: 'is a public key', hint: 'Name the private key, the file of that name without ".pub".' }
      : { what: 'is not an OpenSSH private key' }
  if (kind === 'ENCRYPTED ' || /^Proc-Type:.*ENCRYPTED/m.test(text) || isEncrypted(body))
    return {
      what: 'needs a passphrase, which nobody is there to type',
      hint: 'Take the passphrase off with "ssh-keygen -p -f FILE", or make a separate key for tallyman.',
    }
  return undefined
}

/**
 * Returns why a key in a file is no secret; undefined if it is one. Like ssh, this checks only files that belong to the
 * current user.
 */
export function modeFault({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): KeyFault | undefined {
  if (uid !== process.getuid?.() || (mode & 0o077) === 0) return undefined
  return {
    what: `others can read it (mode 0${(mode & 0o777).toString(8)})`,
    hint: 'Run "chmod 600" on the file.',
  }
}

/** OpenSSH's own format begins with its name and the name of the cipher. */
function isEncrypted(body: string): boolean {
  const bytes = Buffer.from(body, 'base64')
  const magic = 'openssh-key-v1\0'
  if (bytes.toString('latin1', 0, magic.length) !== magic || bytes.byteLength < magic.length + 4) return false
  const start = magic.length + 4
  return bytes.toString('latin1', start, start + bytes.readUInt32BE(magic.length)) !== 'none'
}
