import { createHash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { readRegularText } from '../../file/read-regular.ts'
import { armourFault } from './armour.ts'

/** The keys whose signatures are accepted. */
export type SigningKeys = {
  /** Files with armoured OpenPGP keys; empty if there are none. */
  readonly openPgp: readonly KeyFile[]
  /** Lines as in OpenSSH's `allowed_signers`; empty if there are none. */
  readonly allowedSigners: string
  /** A hash that changes with the keys. */
  readonly mark: string
}

export type KeyFile = { readonly path: string; readonly text: string }

/** Reads the files with public keys as they are now. Fails with `signing-keys-unusable`. */
export async function readSigningKeys(paths: readonly string[]): Promise<SigningKeys> {
  const files = await Promise.all(paths.map(async path => keysIn(path, await reading(path))))
  const openPgp = files.flatMap(keys => keys.openPgp)
  const allowedSigners = files.flatMap(keys => keys.allowedSigners).join('\n')
  const mark = createHash('sha256')
    .update(JSON.stringify([openPgp, allowedSigners]))
    .digest('hex')
  return { openPgp, allowedSigners, mark }
}

type Keys = { readonly openPgp: readonly KeyFile[]; readonly allowedSigners: readonly string[] }

/**
 * Returns the keys in a file of either kind. Fails with `signing-keys-unusable` if one of its lines is no key, or if an
 * OpenPGP key is damaged, whatever is verified with the file.
 */
export function keysIn(path: string, text: string): Keys {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text))
    throw unusableKeys(path, 'is a private key; give the public one, and keep this one to yourself')
  if (text.includes('-----BEGIN PGP PUBLIC KEY BLOCK-----')) {
    const fault = armourFault(text)
    if (fault !== undefined) throw unusableKeys(path, fault)
    return { openPgp: [{ path, text }], allowedSigners: [] }
  }
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const allowedSigners = lines
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, number }) => {
      const signer = signerOf(line)
      if (signer === undefined)
        throw unusableKeys(`${path}:${number}`, 'is neither a public key nor a line of allowed_signers')
      return signer
    })
  if (allowedSigners.length === 0) throw unusableKeys(path, 'has no public key')
  return { openPgp: [], allowedSigners }
}

const keyKind = '(?:ssh|ecdsa|sk)-[a-z0-9@.-]+'

/** The comment of a bare public key names its owner. */
function signerOf(line: string): string | undefined {
  const [, kind, blob, comment = ''] =
    new RegExp(`^(${keyKind}) (AAAA[A-Za-z0-9+/]+=*)(?: (.*))?$`).exec(line) ?? []
  if (kind !== undefined && blob !== undefined) {
    const name = comment
      .trim()
      .replace(/[^A-Za-z0-9_.@+-]+/g, '-')
      .replace(/^-|-$/g, '')
    return `${name || 'no-name'} namespaces="git" ${kind} ${blob}`
  }
  return new RegExp(`^[^\\s"]\\S* (?:[a-z].* )?${keyKind} AAAA[A-Za-z0-9+/]+=*(?: .*)?$`).test(line)
    ? line
    : undefined
}

async function reading(path: string): Promise<string> {
  try {
    return await readRegularText(path)
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    throw new Failure('signing-keys-unusable', `${path}: cannot be read (${reason})`, { cause })
  }
}

/** Returns the failure for keys of the operator that cannot be used. */
export function unusableKeys(where: string, what: string): Failure {
  return new Failure('signing-keys-unusable', `${where}: ${what}`)
}
