import { Failure } from '../../errors.ts'
import { type HttpRequest, type HttpResponse, request } from '../../request.ts'
import { maskCredentials } from '../../text/redaction/mask.ts'
import { gitLimits } from '../limits.ts'
import { readPackets } from '../wire/pkt-line.ts'
import type { GitService } from '../wire/refs.ts'
import { answerLines, unusable } from './answer.ts'

/** What a server says before it is asked anything. */
export type Advertisement = {
  /** The repository's address after redirects on the same host. */
  readonly base: string
  /** The lines of the server, unchanged. */
  readonly lines: readonly string[]
}

/**
 * Asks the server at an address for the capabilities of a service: for reading in protocol 2 if the server speaks that,
 * and for a push, which protocol 2 does not have, without naming one. Fails as `askServer` does.
 */
export async function askAdvertisement(
  address: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  service: GitService = 'git-upload-pack',
): Promise<Advertisement> {
  const query = {
    url: `${address}/info/refs?service=${service}`,
    headers: service === 'git-upload-pack' ? { ...headers, 'git-protocol': 'version=2' } : headers,
    limits: { bytes: gitLimits.refBytes },
  }
  const response = await askServer(address, query, signal, service)
  return { base: baseOf(response.url, address), lines: await linesOf(address, response) }
}

/** Sends a small question to a server of protocol 2, and returns the lines of its answer. Fails as `askServer` does. */
export async function askLines(
  address: string,
  { base, headers, body }: Question,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const query: HttpRequest = {
    url: `${base}/git-upload-pack`,
    method: 'POST',
    headers: {
      ...headers,
      'content-type': typeOf('git-upload-pack', 'request'),
      'git-protocol': 'version=2',
    },
    body: Buffer.from(body),
    limits: { bytes: gitLimits.refBytes },
  }
  return linesOf(address, await askServer(address, query, signal))
}

type Question = {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends one request to the git server at an address without credentials. It has the limits of `request`, and accepts
 * only the status and the type that a git server gives. Fails with `git-unreachable`, `git-auth-failed`,
 * `git-not-found`, `git-redirected` or `repository-too-large`, also while the body is read. No failure shows
 * credentials.
 */
export async function askServer(
  address: string,
  query: HttpRequest,
  signal: AbortSignal,
  service: GitService = 'git-upload-pack',
): Promise<HttpResponse> {
  try {
    const response = await request(query, signal)
    demandGit(address, response, typeOf(service, query.method === 'POST' ? 'result' : 'advertisement'))
    return { ...response, body: translated(address, response.body) }
  } catch (error) {
    throw translate(address, error)
  }
}

/** Returns the type of what is sent to a service or comes from it. */
export function typeOf(service: GitService, what: 'advertisement' | 'request' | 'result'): string {
  return `application/x-${service}-${what}`
}

function baseOf(url: string, address: string): string {
  const { origin, pathname } = new URL(url)
  const end = '/info/refs'
  return pathname.endsWith(end) ? `${origin}${pathname.slice(0, -end.length)}` : address
}

function linesOf(address: string, { body }: HttpResponse): Promise<readonly string[]> {
  return answerLines(
    readPackets(body, what => unusable(address, what)),
    address,
  )
}

function demandGit(address: string, response: HttpResponse, type: string): void {
  const { status, headers } = response
  const given = headers['content-type'] ?? 'nothing'
  if (status === 200 && given.startsWith(type)) return
  response.discard()
  if (status === 200) throw unusable(address, `answers with ${given}, not as a git server`)
  if (status === 401)
    throw new Failure('git-auth-failed', `${address}: the credentials are missing or wrong (401)`)
  if (status === 403) throw new Failure('git-auth-failed', `${address}: access is forbidden (403)`)
  if (status === 404 || status === 410)
    throw new Failure('git-not-found', `${address}: no such repository (${status})`)
  throw unusable(address, `answers with status ${status}`)
}

async function* translated(address: string, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw translate(address, error)
  }
}

function translate(address: string, error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  switch (error.code) {
    case 'http-unreachable':
    case 'http-timeout':
      return unusable(address, detailOf(error), error)
    case 'http-too-large':
      return new Failure('repository-too-large', `${address}: ${detailOf(error)}`, { cause: error })
    case 'http-redirect-refused':
      return new Failure('git-redirected', `${address}: ${detailOf(error)}`, { cause: error })
    default:
      return error
  }
}

/** Removes the address from the start of a message, because it is shown already. */
function detailOf({ message }: Failure): string {
  return maskCredentials(message.replace(/^\S+: /, ''))
}
