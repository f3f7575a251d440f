import { readFile } from 'node:fs/promises'
import { Failure } from '../errors.ts'
import type { UrlLogin } from './address.ts'

/** How to log in at a git server: nothing, or a name and a file with the password or token. */
export type GitAuth = {
  readonly username?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
}

/**
 * The `Authorization` header, made afresh from the files; no header without credentials. Files win over the URL.
 * Fails with `git-credentials-unreadable`.
 */
export async function headersOf(auth: GitAuth, login: UrlLogin): Promise<Record<string, string>> {
  const file = auth.tokenFile ?? auth.passwordFile
  const password = file === undefined ? login.password : await readSecret(file)
  const username = auth.username ?? (login.username || defaultName(auth))
  if (username === '' && password === '') return {}
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** The servers that look at a token's user name at all know this one. */
function defaultName(auth: GitAuth): string {
  return auth.tokenFile === undefined ? '' : 'x-access-token'
}

async function readSecret(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/[\r\n]+$/, '')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new Failure('git-credentials-unreadable', `${path}: cannot be read (${reason})`, { cause: error })
  }
}
