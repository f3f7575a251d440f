import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { steadyMs, timeOfDayMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import { request } from '../../request.ts'
import type { GithubApp } from '../../state/repository/git-auth.ts'
import { withoutEnd } from '../../text/without-end.ts'
import { foreignText } from '../text.ts'
import { readPrivateKey } from './credential-file.ts'

export type InstallationTokens = {
  /** Returns a token that is valid for some minutes at least. Asks GitHub only if none is at hand. */
  token(signal: AbortSignal): Promise<string>
  /** Drops the token at hand, so that the next call requests another. */
  forget(): void
}

/**
 * Requests tokens of an installation with the key of the app, and renews them before they end. Tokens are kept in
 * memory only. Fails as `readPrivateKey` does, with `git-auth-failed` if GitHub refuses the app, or with
 * `git-unreachable`.
 */
export function installationTokens(app: GithubApp): InstallationTokens {
  let known: Promise<Token> | undefined
  return {
    async token(signal) {
      const kept = await known?.catch(() => undefined)
      if (kept !== undefined && steadyMs() < kept.renewMs) return kept.token
      known = ask(app, signal)
      return (await known).token
    },
    forget() {
      known = undefined
    },
  }
}

/** `renewMs`: the time on the steady clock from which the token is renewed. */
type Token = { readonly token: string; readonly renewMs: number }

/** A look-up and a fetch take less time. */
const spareMs = 10 * 60_000

async function ask(app: GithubApp, signal: AbortSignal): Promise<Token> {
  const { appId, installationId, apiUrl = 'https://api.github.com' } = app
  const jwt = webToken(appId, await keyOf(app.privateKeyFile))
  const url = `${withoutEnd(apiUrl, '/')}/app/installations/${installationId}/access_tokens`
  const askedMs = steadyMs()
  const { status, headers, text } = await exchange(url, jwt, signal)
  const answer = answerIn(text)
  if (status !== 201) {
    const said = answer.message === undefined ? '' : `: ${foreignText(answer.message)}`
    const what = `${apiUrl}: gives app ${appId} no token for installation ${installationId} (${status})${said}`
    if (isLimit(status, headers)) throw new Failure('git-unreachable', what, { hint: waitHint })
    const isRefusal = status === 401 || status === 403 || status === 404 || status === 422
    throw new Failure(isRefusal ? 'git-auth-failed' : 'git-unreachable', what)
  }
  const { token, expiresAt } = answer
  if (token === undefined || expiresAt === undefined)
    throw new Failure('git-unreachable', `${apiUrl}: answers with no token`)
  // The lifetime is measured by GitHub's own clock, because ours may be wrong by minutes.
  const lifeMs = Date.parse(expiresAt) - (Date.parse(headers['date'] ?? '') || timeOfDayMs())
  return { token, renewMs: askedMs + lifeMs - spareMs }
}

/** GitHub refuses with 403 or 429 also when it was asked too often. */
function isLimit(status: number, headers: Readonly<Record<string, unknown>>): boolean {
  const isRefusal = status === 403 || status === 429
  return isRefusal && (headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0')
}

const waitHint = 'GitHub was asked too often; tallyman tries again by itself.'
const redirectHint =
  'If you trust that host, set "apiUrl" of the GitHub App in the configuration to the address that the server redirects to.'
const keyHint =
  'Generate a private key in the settings of the app on GitHub, and name the file that is downloaded as "privateKeyFile".'

async function exchange(url: string, jwt: string, signal: AbortSignal) {
  const query = {
    url,
    method: 'POST',
    headers: {
      authorization: `Bearer ${jwt}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    },
    body: Buffer.alloc(0),
    limits: { totalMs: 30_000, bytes: 1024 * 1024 },
  } as const
  try {
    const { status, headers, body } = await request(query, signal)
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    return { status, headers, text: Buffer.concat(chunks).toString('utf8') }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'http-redirect-refused')
      throw new Failure('git-redirected', error.message, { hint: redirectHint, cause: error })
    throw new Failure('git-unreachable', error.message, { cause: error })
  }
}

type Answer = { readonly token?: string; readonly expiresAt?: string; readonly message?: string }

/** Returns what is useful in GitHub's answer; nothing if the answer is not GitHub's. */
function answerIn(text: string): Answer {
  const read = (key: string): string | undefined => {
    const value: unknown = parsed[key]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const parsed = objectIn(text)
  const [token, expiresAt, message] = ['token', 'expires_at', 'message'].map(read)
  return {
    ...(token === undefined ? {} : { token }),
    ...(expiresAt === undefined || Number.isNaN(Date.parse(expiresAt)) ? {} : { expiresAt }),
    ...(message === undefined ? {} : { message }),
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Creates a web token that is valid for nine minutes. GitHub accepts ten at most, and its clock may be behind ours. */
function webToken(appId: string | number, key: KeyObject): string {
  const seconds = Math.floor(timeOfDayMs() / 1000)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const head = part({ alg: 'RS256', typ: 'JWT' })
  const body = part({ iat: seconds - 60, exp: seconds + 480, iss: String(appId) })
  return `${head}.${body}.${sign('RSA-SHA256', Buffer.from(`${head}.${body}`), key).toString('base64url')}`
}

async function keyOf(path: string): Promise<KeyObject> {
  const text = await readPrivateKey(path)
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // The text is a secret, so the error shows nothing of it.
  }
  const what = /-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(text)
    ? 'needs a passphrase, which nobody is there to type'
    : 'is no private key of a GitHub App (RSA, as PEM)'
  throw new Failure('git-credentials-unreadable', `${path}: ${what}`, { hint: keyHint })
}
