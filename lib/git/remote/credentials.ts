import { resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import type { GitAuth } from '../../state/repository/git-auth.ts'
import type { UrlLogin } from '../address.ts'
import type { SshAddress } from '../ssh/address.ts'
import { isPlainPath, type SshLogin } from '../ssh/command.ts'
import { readCredentialFile } from './credential-file.ts'
import { installationTokens } from './github-app.ts'

/** Returns the files for a login over SSH. Fails with `repository-invalid` if one of them is not configured. */
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
      hint: `Name it with ${setting} in the configuration; docs/configuration.md shows how to make one.`,
    })
  const absolute = resolve(path)
  if (!isPlainPath(absolute))
    throw new Failure('repository-invalid', `${absolute}: ssh does not accept this path as it is written`, {
      hint: `Give ${setting} a path without quotes, backslashes, control characters and the signs % $ ~.`,
    })
  return absolute
}

/** The credentials that are sent to a server over HTTP. */
export type HttpLogin = {
  /** Creates the headers anew for each request. */
  headers(signal: AbortSignal): Promise<Record<string, string>>
  /** Reports that the server refused the headers. */
  refused(): void
}

/**
 * Returns the login for a server. A GitHub App takes precedence over files, and files over the login in the address.
 */
export function httpLoginOf(auth: GitAuth, login: UrlLogin): HttpLogin {
  if (auth.githubApp === undefined) return { headers: () => headersOf(auth, login), refused: () => undefined }
  const tokens = installationTokens(auth.githubApp)
  return {
    headers: async signal => basic(tokenUser, await tokens.token(signal)),
    refused: tokens.forget,
  }
}

/**
 * Returns the `Authorization` header, read from the files at each call, and no header without credentials. Files take
 * precedence over the URL. Fails with `git-credentials-unreadable`.
 */
async function headersOf(auth: GitAuth, login: UrlLogin): Promise<Record<string, string>> {
  const file = auth.tokenFile ?? auth.passwordFile
  const password = file === undefined ? login.password : await readCredentialFile(file)
  const username = auth.username ?? (login.username || defaultName(auth))
  if (username === '' && password === '') return {}
  return basic(username, password)
}

function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Some servers check the user name of a token. All of them accept this one. */
const tokenUser = 'x-access-token'

function defaultName(auth: GitAuth): string {
  return auth.tokenFile === undefined ? '' : tokenUser
}
