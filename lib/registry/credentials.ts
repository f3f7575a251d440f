import type { RegistryLogin } from '../engine.ts'
import { Failure } from '../errors.ts'
import { readRegularText } from '../file/read-regular.ts'
import { canonicalHost } from './api/host.ts'

/** The configured account at a registry. The password stays in its file. */
export type RegistryAccount = {
  readonly host: string
  readonly username: string
  readonly passwordFile: string
  readonly tokenHost?: string
}

/**
 * Returns the login for a registry. The password is read at each call, without the newline at its end (G21). Undefined
 * if none is configured. Fails with `registry-credentials-unreadable`, which names the file and never shows its
 * content.
 */
export async function loginFor(
  accounts: readonly RegistryAccount[],
  host: string,
): Promise<RegistryLogin | undefined> {
  const wanted = canonicalHost(host)
  const account = accounts.find(candidate => canonicalHost(candidate.host) === wanted)
  if (account === undefined) return undefined
  const { username, tokenHost } = account
  const password = await readPassword(account)
  return { username, password, ...(tokenHost === undefined ? {} : { tokenHost }) }
}

async function readPassword({ host, passwordFile }: RegistryAccount): Promise<string> {
  try {
    return (await readRegularText(passwordFile)).replace(/\r?\n$/, '')
  } catch (cause) {
    throw new Failure(
      'registry-credentials-unreadable',
      `registries/${host}: the password file ${passwordFile} cannot be read (${codeOf(cause)})`,
      { cause },
    )
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
}
