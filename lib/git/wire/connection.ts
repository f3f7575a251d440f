import { Failure } from '../../errors.ts'
import { maskCredentials } from '../../mask.ts'
import { type HttpResponse, request } from '../../request.ts'
import { limits } from '../limits.ts'
import { type Packet, readPackets } from './pkt-line.ts'

/** How a git server is spoken to: over HTTP, for reading only. */
export type Connection = {
  /** Asks what the server can do. */
  advertisement(signal: AbortSignal): Promise<Answer>
  /** Sends a request of protocol 2 (or 0) to the place where the advertisement came from. */
  uploadPack(base: string, query: UploadPackQuery, signal: AbortSignal): Promise<AsyncIterable<Packet>>
}

export type Answer = {
  readonly packets: AsyncIterable<Packet>
  /** The repository's address after redirects on the same host. */
  readonly base: string
}

export type UploadPackQuery = {
  readonly protocol: 0 | 2
  readonly body: string
  /** Most bytes of the answer. */
  readonly bytes: number
}

/**
 * Speaks to the repository at an address without credentials. `authorization` is asked for each request's header, so
 * that changed credentials take effect at once. Fails with `git-unreachable`, `git-auth-failed`, `git-not-found`,
 * `git-redirected` or `repository-too-large`, and whatever `authorization` fails with; never names credentials.
 */
export function connectTo(address: string, authorization: () => Promise<string | undefined>): Connection {
  async function headers(more: Record<string, string>): Promise<Record<string, string>> {
    const header = await authorization()
    return { ...(header === undefined ? {} : { authorization: header }), ...more }
  }

  return {
    async advertisement(signal) {
      const url = `${address}${advertisementPath}`
      const response = await translated(address, async () =>
        request(
          {
            url,
            headers: await headers({ 'git-protocol': 'version=2' }),
            limits: { bytes: limits.refBytes },
          },
          signal,
        ),
      )
      demandGit(address, response, advertisementType)
      return { packets: packets(address, response), base: baseOf(response.url, address) }
    },
    async uploadPack(base, { protocol, body, bytes }, signal) {
      const response = await translated(address, async () =>
        request(
          {
            url: `${base}/git-upload-pack`,
            method: 'POST',
            headers: await headers({
              'content-type': 'application/x-git-upload-pack-request',
              accept: resultType,
              ...(protocol === 2 ? { 'git-protocol': 'version=2' } : {}),
            }),
            body: Buffer.from(body),
            limits: { bytes },
          },
          signal,
        ),
      )
      demandGit(address, response, resultType)
      return packets(address, response)
    },
  }
}

/** What is thrown when a server answers, but not as a git server should. */
export function unusable(address: string, what: string, cause?: unknown): Failure {
  return new Failure('git-unreachable', `${address}: ${what}`, { cause })
}

const advertisementPath = '/info/refs?service=git-upload-pack'
const advertisementType = 'application/x-git-upload-pack-advertisement'
const resultType = 'application/x-git-upload-pack-result'

async function* packets(address: string, response: HttpResponse): AsyncIterable<Packet> {
  try {
    yield* readPackets(response.body, what => unusable(address, what))
  } catch (error) {
    throw translate(address, error)
  }
}

async function translated<T>(address: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
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

function baseOf(url: string, address: string): string {
  const { origin, pathname } = new URL(url)
  const end = '/info/refs'
  return pathname.endsWith(end) ? `${origin}${pathname.slice(0, -end.length)}` : address
}
