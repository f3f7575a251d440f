import type { HttpClient } from 'isomorphic-git'
import { Failure } from '../errors.ts'
import { maskCredentials } from '../mask.ts'
import { type HttpRequest, type HttpResponse, readBody, request } from '../request.ts'
import { limits } from './limits.ts'
import { oneLine } from './text.ts'
import { demandNoError, readPackets, textOf } from './wire/pkt-line.ts'

/** What a server says of itself before it is asked anything. */
export type Advertisement = {
  /** The repository's address after redirects on the same host. */
  readonly base: string
  readonly bytes: Buffer
}

/** Asks the server at an address what it can do, in protocol 2 if it speaks that. Fails as `askServer` does. */
export async function askAdvertisement(
  address: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Advertisement> {
  const query = {
    url: `${address}${advertisementPath}`,
    headers: { ...headers, 'git-protocol': 'version=2' },
    limits: { bytes: limits.refBytes },
  }
  const response = await askServer(address, query, signal)
  return { base: baseOf(response.url, address), bytes: await readWhole(address, response) }
}

/**
 * The HTTP client for isomorphic-git's questions to a server whose advertisement is known and not asked for again.
 * Answers are given on only when they are whole: the library takes one that breaks off for a short list of refs.
 */
export function clientOf(address: string, { base, bytes }: Advertisement, signal: AbortSignal): HttpClient {
  async function send(url: string, headers: Readonly<Record<string, string>>, body: Buffer) {
    const query: HttpRequest = { url, method: 'POST', headers, body, limits: { bytes: limits.refBytes } }
    return readWhole(address, await askServer(address, query, signal))
  }

  return {
    async request({ url, method, headers = {}, body }) {
      const asked = method === 'POST'
      const answer = asked ? await send(url, headers, await joined(body)) : bytes
      return {
        url: asked ? url : `${base}${advertisementPath}`,
        headers: { 'content-type': asked ? resultType : advertisementType },
        body: chunksOf(answer),
        statusCode: 200,
        statusMessage: 'OK',
      }
    },
  }
}

/**
 * One request to the git server at an address without credentials: the limits are those of `request`, and an answer
 * has the status and the type that a git server gives. Fails with `git-unreachable`, `git-auth-failed`,
 * `git-not-found`, `git-redirected` or `repository-too-large`, while the body is read too; never names credentials.
 */
export async function askServer(
  address: string,
  query: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  try {
    const response = await request(query, signal)
    demandGit(address, response, query.method === 'POST' ? resultType : advertisementType)
    return { ...response, body: translated(address, response.body) }
  } catch (error) {
    throw translate(address, error)
  }
}

/** What is thrown when a server answers, but not as a git server should. */
export function unusable(address: string, what: string, cause?: unknown): Failure {
  return new Failure('git-unreachable', `${address}: ${what}`, { cause })
}

const advertisementPath = '/info/refs?service=git-upload-pack'
const advertisementType = 'application/x-git-upload-pack-advertisement'
const resultType = 'application/x-git-upload-pack-result'

function baseOf(url: string, address: string): string {
  const { origin, pathname } = new URL(url)
  const end = '/info/refs'
  return pathname.endsWith(end) ? `${origin}${pathname.slice(0, -end.length)}` : address
}

/** An answer that ends as answers of git do, with a flush. */
async function readWhole(address: string, response: HttpResponse): Promise<Buffer> {
  const bytes = await readBody(response)
  let ended = false
  for await (const packet of readPackets(chunksOf(bytes), what => unusable(address, what))) {
    ended = packet.kind === 'flush'
    if (packet.kind === 'data')
      demandNoError(textOf(packet.bytes), reason => unusable(address, oneLine(reason)))
  }
  if (!ended) throw unusable(address, 'the answer breaks off')
  return bytes
}

async function joined(body: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body ?? []) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
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

/** Without the address in front, which is said already. */
function detailOf({ message }: Failure): string {
  return maskCredentials(message.replace(/^\S+: /, ''))
}
