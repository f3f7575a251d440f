import { resolve } from 'node:path'
import { Failure } from '../errors.ts'
import type { UrlLogin } from './address.ts'
import { type GithubApp, installationTokens } from './github-app.ts'
import { readSecret } from './read-secret.ts'
import type { SshAddress } from './ssh/address.ts'
import { isPlainPath, type SshLogin } from './ssh/command.ts'

/** How to log in at a git server: nothing, a name and a file with the password or token, or a key for SSH. */
export type GitAuth = {
  readonly username?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
  readonly sshKeyFile?: string
  readonly knownHostsFile?: string
  readonly githubApp?: GithubApp
}

/** The files for a server that is reached over SSH; fails with `repository-invalid` where one is not named. */
export function sshLoginOf({ sshKeyFile, knownHostsFile }: GitAuth, { url }: SshAddress): SshLogin {
  return {
    keyFile: named(sshKeyFile, 'sshKeyFile', 'the file with a private key', url),
    knownHostsFile: named(knownHostsFile, 'knownHostsFile', 'a file for the keys of hosts', url),
  }
}

function named(path: string | undefined, key: string, what: string, url: string): string {
  const setting = `"repository: {auth: {${key}: …}}"`
  if (path === undefined)
    throw new Failure('repository-invalid', `${url}: is read over SSH, which needs ${what}`, {
      hint: `Name it with ${setting} in the configuration; docs/operations.md shows how to make one.`,
    })
  const absolute = resolve(path)
  if (!isPlainPath(absolute))
    throw new Failure('repository-invalid', `${absolute}: ssh does not accept this path as it is written`, {
      hint: `Give ${setting} a path without quotes, backslashes, control characters and the signs % $ ~.`,
    })
  return absolute
}

/** What a server that is spoken to over HTTP is told of who asks. */
export type HttpLogin = {
  /** Made afresh for each request. */
  headers(signal: AbortSignal): Promise<Record<string, string>>
  /** The server refused them. */
  refused(): void
}

/** The login of a configuration, or of an address; an app goes before files, and those before the address. */
export function httpLoginOf(auth: GitAuth, login: UrlLogin): HttpLogin {
  if (auth.githubApp === undefined) return { headers: () => headersOf(auth, login), refused: () => undefined }
  const tokens = installationTokens(auth.githubApp)
  return {
    headers: async signal => basic(tokenUser, await tokens.token(signal)),
    refused: tokens.forget,
  }
}

/**
 * The `Authorization` header, made afresh from the files; no header without credentials. Files win over the URL.
 * Fails with `git-credentials-unreadable`.
 */
async function headersOf(auth: GitAuth, login: UrlLogin): Promise<Record<string, string>> {
  const file = auth.tokenFile ?? auth.passwordFile
  const password = file === undefined ? login.password : await readSecret(file)
  const username = auth.username ?? (login.username || defaultName(auth))
  if (username === '' && password === '') return {}
  return basic(username, password)
}

function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** The servers that look at a token's user name at all know this one. */
const tokenUser = 'x-access-token'

function defaultName(auth: GitAuth): string {
  return auth.tokenFile === undefined ? '' : tokenUser
}
