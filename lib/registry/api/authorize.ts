import type { RegistryLogin } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import type { Reference } from '../../state/image/reference.ts'
import { parseChallenge } from './challenge.ts'
import { get, type RegistryAnswer } from './get.ts'
import { isLoopback, tokenHostsOf } from './host.ts'
import { parseObject } from './json.ts'
import { rateLimit } from './pause.ts'

/**
 * Returns the `Authorization` header that answers a registry's challenge, for pulls from one repository: a token if it
 * wants one, with or without the login. Undefined if there is nothing to answer with. Credentials are sent over HTTPS
 * only, or to this machine. They go only to the registry and to the host that the operator names beside it, because the
 * challenge itself could name any host. Fails with `registry-denied`, `registry-unreachable` or `registry-rate-limited`.
 */
export async function authorize(
  { headers }: RegistryAnswer,
  { host, repository }: Pick<Reference, 'host' | 'repository'>,
  login: RegistryLogin | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const challenge = parseChallenge(headers.get('www-authenticate') ?? '')
  switch (challenge?.scheme) {
    case undefined:
      return undefined
    case 'basic':
      return login === undefined ? undefined : basic(login)
    case 'bearer': {
      const { realm, service, scope = `repository:${repository}:pull` } = challenge
      const url = tokenUrl(realm, service, scope)
      if (login !== undefined && !mayHaveLogin(url, host, login)) throw sentElsewhere(url, host)
      return `Bearer ${await fetchToken(url, login, signal)}`
    }
  }
}

function basic({ username, password }: RegistryLogin): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function tokenUrl(realm: string, service: string | undefined, scope: string): URL {
  if (!URL.canParse(realm))
    throw new Failure('registry-unreachable', 'the registry names no valid address for tokens')
  const url = new URL(realm)
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('scope', scope)
  return url
}

function mayHaveLogin({ host: asked }: URL, registry: string, { tokenHost }: RegistryLogin): boolean {
  const named = tokenHost === undefined ? [] : [tokenHost]
  return [...tokenHostsOf(registry), ...named].some(host => bare(host) === bare(asked))
}

/** Removes the default port. */
function bare(host: string): string {
  return host.toLowerCase().replace(/:443$/, '')
}

function sentElsewhere({ host: asked }: URL, registry: string): Failure {
  return new Failure('registry-denied', `${registry}: asks for its login to be sent to ${asked}`, {
    hint: `If you trust ${asked} with the login, add "tokenHost: ${asked}" to ${registry} under "registries" in the configuration.`,
  })
}

async function fetchToken(url: URL, login: RegistryLogin | undefined, signal: AbortSignal): Promise<string> {
  if (login !== undefined && url.protocol !== 'https:' && !isLoopback(url.host))
    throw new Failure('registry-denied', `${url.host}: credentials are not sent over plain HTTP`)
  const authorization = login === undefined ? {} : { authorization: basic(login) }
  const { status, headers, body } = await get(url.href, authorization, signal)
  if (status === 401 || status === 403)
    throw new Failure('registry-denied', `${url.host}: the login is refused (HTTP ${status})`)
  if (status === 429) throw rateLimit(`${url.host}: gives no further tokens for now (HTTP 429)`, headers)
  if (status !== 200)
    throw new Failure('registry-unreachable', `${url.host}: gives no token, but HTTP ${status}`)
  const token = tokenIn(body.toString('utf8'))
  if (token === undefined) throw new Failure('registry-unreachable', `${url.host}: the answer holds no token`)
  return token
}

function tokenIn(text: string): string | undefined {
  const answer = parseObject(text)
  const token = answer?.token ?? answer?.access_token
  return typeof token === 'string' ? token : undefined
}
