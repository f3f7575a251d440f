import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Failure } from '../../errors.ts'

/** Whose signatures count. */
export type SigningKeys = {
  /** Armoured OpenPGP keys; empty: none. */
  readonly openPgp: string
  /** Lines as in OpenSSH's `allowed_signers`; empty: none. */
  readonly allowedSigners: string
  /** Changes with them. */
  readonly mark: string
}

/** Reads the files with public keys, as they are now; fails with `signing-keys-unusable`. */
export async function readSigningKeys(paths: readonly string[]): Promise<SigningKeys> {
  const files = await Promise.all(paths.map(async path => keysIn(path, await reading(path))))
  const openPgp = files.flatMap(keys => keys.openPgp).join('\n')
  const allowedSigners = files.flatMap(keys => keys.allowedSigners).join('\n')
  const mark = createHash('sha256').update(`${openPgp}\0${allowedSigners}`).digest('hex')
  return { openPgp, allowedSigners, mark }
}

type Keys = { readonly openPgp: readonly string[]; readonly allowedSigners: readonly string[] }

/** The keys in a file of either kind; fails with `signing-keys-unusable` where one of its lines is none. */
export function keysIn(path: string, text: string): Keys {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text))
    throw unusableKeys(path, 'is a private key; give the public one, and keep this one to yourself')
  if (text.includes('-----BEGIN PGP PUBLIC KEY BLOCK-----')) return { openPgp: [text], allowedSigners: [] }
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

/** A bare public key belongs to whom its comment names. */
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
    return await readFile(path, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    throw new Failure('signing-keys-unusable', `${path}: cannot be read (${reason})`, { cause })
  }
}

/** What is thrown when keys of the operator cannot be used. */
export function unusableKeys(where: string, what: string): Failure {
  return new Failure('signing-keys-unusable', `${where}: ${what}`)
}
