import type { RegistryLogin } from '../engine.ts'
import { Failure } from '../errors.ts'
import { parseChallenge } from './challenge.ts'
import { type Answer, get } from './get.ts'
import { isLoopback } from './host.ts'
import { parseObject } from './json.ts'

/**
 * The `Authorization` header that answers a registry's challenge, for pulling from one repository: a token where
 * it wants one, with the login or without; undefined when there is nothing to answer with. Credentials go over
 * HTTPS, or to this machine, only. Fails with `registry-denied` or `registry-unreachable`.
 */
export async function authorize(
  { headers }: Answer,
  repository: string,
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
      return `Bearer ${await fetchToken(tokenUrl(realm, service, scope), login, signal)}`
    }
  }
}

function basic({ username, password }: RegistryLogin): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function tokenUrl(realm: string, service: string | undefined, scope: string): URL {
  if (!URL.canParse(realm))
    throw new Failure('registry-unreachable', 'the registry sends for a token to no valid address')
  const url = new URL(realm)
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('scope', scope)
  return url
}

async function fetchToken(url: URL, login: RegistryLogin | undefined, signal: AbortSignal): Promise<string> {
  if (login !== undefined && url.protocol !== 'https:' && !isLoopback(url.host))
    throw new Failure('registry-denied', `${url.host}: credentials are not sent over plain HTTP`)
  const authorization = login === undefined ? {} : { authorization: basic(login) }
  const { status, body } = await get(url.href, authorization, signal)
  if (status === 401 || status === 403)
    throw new Failure('registry-denied', `${url.host}: the login is refused (HTTP ${status})`)
  if (status !== 200)
    throw new Failure('registry-unreachable', `${url.host}: no token, the answer is HTTP ${status}`)
  const token = tokenIn(body.toString('utf8'))
  if (token === undefined) throw new Failure('registry-unreachable', `${url.host}: the answer holds no token`)
  return token
}

function tokenIn(text: string): string | undefined {
  const answer = parseObject(text)
  const token = answer?.token ?? answer?.access_token
  return typeof token === 'string' ? token : undefined
}
