import { Failure } from '../../errors.ts'
import { secondsText } from '../../text/time.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import { timeout as abortAfter } from '../../wait/timer.ts'

export type RegistryAnswer = { readonly status: number; readonly headers: Headers; readonly body: Buffer }

/** Nobody answered at an address, also not with a redirect to another one. */
export class Unanswered extends Failure {
  constructor(message: string, cause: unknown) {
    super('registry-unreachable', message, { cause })
    this.name = 'Unanswered'
  }
}

const limits = { totalMs: 20_000, bodyBytes: 4 * 1024 * 1024, redirects: 3 }

/**
 * Makes one GET request, bounded in time and size, and returns the answer with any status. Follows redirects, without
 * authorization to another host, and never from HTTPS to HTTP. Fails with `registry-unreachable`, as `Unanswered` where
 * that is so; an abort of the caller is passed on.
 */
export async function get(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<RegistryAnswer> {
  const { host } = new URL(url)
  const timeout = abortAfter(limits.totalMs)
  using either = linkedAbort(signal, timeout)
  let isAnswered = false
  const onAnswer = () => {
    isAnswered = true
  }
  try {
    return await follow(new URL(url), headers, either.signal, limits.redirects, onAnswer)
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof Failure) throw cause
    const what = timeout.aborted ? `no answer within ${secondsText(limits.totalMs)}` : reasonOf(cause)
    const message = `${host}: ${what}`
    throw isAnswered
      ? new Failure('registry-unreachable', message, { cause })
      : new Unanswered(message, cause)
  }
}

async function follow(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  redirectsLeft: number,
  onAnswer: () => void,
): Promise<RegistryAnswer> {
  const response = await fetch(url, { headers, signal, redirect: 'manual' })
  onAnswer()
  const location = response.headers.get('location')
  if (!redirects.includes(response.status) || location === null)
    return { status: response.status, headers: response.headers, body: await bodyOf(response, url.host) }
  await response.body?.cancel()
  const next = new URL(location, url)
  if (redirectsLeft === 0) throw new Failure('registry-unreachable', `${url.host}: too many redirects`)
  if (!mayFollow(url, next))
    throw new Failure('registry-unreachable', `${url.host}: redirects away from HTTPS`)
  const { authorization, ...others } = headers
  const stays = next.origin === url.origin && authorization !== undefined
  return await follow(next, stays ? headers : others, signal, redirectsLeft - 1, onAnswer)
}

const redirects = [301, 302, 303, 307, 308]

function mayFollow(from: URL, to: URL): boolean {
  return to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:')
}

async function bodyOf(response: Response, host: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > limits.bodyBytes)
      throw new Failure(
        'registry-unreachable',
        `${host}: the answer is larger than ${limits.bodyBytes} bytes`,
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** `fetch` only says "fetch failed", and keeps the reason as its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return 'code' in error && error.message === '' ? String(error.code) : error.message
}
