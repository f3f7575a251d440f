import { readFile, stat } from 'node:fs/promises'
import { Failure } from '../../errors.ts'

/**
 * Checks a private key as ssh will, because ssh only says that the server refused it. Fails with
 * `git-credentials-unreadable`, or with `git-key-unusable` if others can read it, if it needs a passphrase, or if it is
 * no private key.
 */
export async function demandKey(path: string): Promise<void> {
  const { mode, uid, text } = await reading(path)
  // Like ssh, this checks the mode only of files that belong to the current user.
  if (uid === process.getuid?.() && (mode & 0o077) !== 0)
    throw new Failure(
      'git-key-unusable',
      `${path}: others can read it (mode 0${(mode & 0o777).toString(8)})`,
      {
        hint: 'Run "chmod 600" on the file.',
      },
    )
  const fault = keyFault(text)
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

async function reading(path: string): Promise<{ mode: number; uid: number; text: string }> {
  try {
    const { mode, uid } = await stat(path)
    return { mode, uid, text: await readFile(path, 'latin1') }
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    throw new Failure('git-credentials-unreadable', `${path}: cannot be read (${reason})`, { cause })
  }
}
