import { Failure } from '../../errors.ts'
import { readPrivateKey } from '../remote/credential-file.ts'

/**
 * Checks a private key as ssh will, because ssh only says that the server refused it. Fails as `readPrivateKey` does,
 * and with `git-key-unusable` if it needs a passphrase or is no private key.
 */
export async function demandKey(path: string): Promise<void> {
  const fault = keyFault(await readPrivateKey(path))
  if (fault !== undefined)
    throw new Failure(
      'git-key-unusable',
      `${path}: ${fault.what}`,
      fault.hint === undefined ? {} : { hint: fault.hint },
    )
}

type Fault = { readonly what: string; readonly hint?: string }

/** Returns why ssh cannot use a text as a private key by itself; undefined if it seems to be one. */
export function keyFault(text: string): Fault | undefined {
  const [, kind, body = ''] = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----\r?\n([^-]*)/.exec(text) ?? []
  if (kind === undefined)
    return /^(?:ssh-|ecdsa-|sk-)\S+ AAAA/m.test(text)
      ? { what: 'is a public key', hint: 'Name the private key, the file of that name without ".pub".' }
      : { what: 'is not an OpenSSH private key' }
  if (kind === 'ENCRYPTED ' || /^Proc-Type:.*ENCRYPTED/m.test(text) || isEncrypted(body))
    return {
      what: 'needs a passphrase, which nobody is there to type',
      hint: 'Take the passphrase off with "ssh-keygen -p -f FILE", or make a separate key for tallyman, which may only read.',
    }
  return undefined
}

/** OpenSSH's own format begins with its name and the name of the cipher. */
function isEncrypted(body: string): boolean {
  const bytes = Buffer.from(body, 'base64')
  const magic = 'openssh-key-v1\0'
  if (bytes.toString('latin1', 0, magic.length) !== magic || bytes.byteLength < magic.length + 4) return false
  const start = magic.length + 4
  return bytes.toString('latin1', start, start + bytes.readUInt32BE(magic.length)) !== 'none'
}
