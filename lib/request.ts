import type { ClientRequest, IncomingMessage } from 'node:http'
import { Failure, messageOf } from './errors.ts'
import { https, request as requestHttp } from './node-http.ts'
import { secondsText } from './text/time.ts'
import { linkedAbort } from './wait/linked-abort.ts'
import { timeout as abortAfter, later } from './wait/timer.ts'

export type HttpRequest = {
  /** `http:` or `https:`. A user and password in it are not sent: credentials belong in `headers`. */
  readonly url: string
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  readonly limits?: Partial<HttpLimits>
}

export type HttpLimits = {
  /** The time until the connection is established, including TLS. */
  readonly connectMs: number
  /** The time without a byte in either direction. */
  readonly idleMs: number
  /** The time from the first call to the last byte, including redirects. */
  readonly totalMs: number
  /** The bytes of the answer's body. */
  readonly bytes: number
}

export type HttpResponse = {
  /** Where the answer came from, after redirects. */
  readonly url: string
  readonly status: number
  /** Names are in lower case; values of a repeated header are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>
  /** Can be read once. If reading stops early, the connection is closed; `discard` closes it too. */
  readonly body: AsyncIterable<Uint8Array>
  discard(): void
}

/** The limits of a request that sets none. */
const defaultLimits: HttpLimits = {
  connectMs: 10_000,
  idleMs: 30_000,
  totalMs: 300_000,
  bytes: 16 * 1024 * 1024,
}

/**
 * Makes one HTTP request with finite limits, and returns the answer with any status. Follows at most five redirects,
 * and only on the same host; from http to https of one host name counts as the same host, the way back does not (G24).
 * Fails with `http-unreachable`, `http-timeout`, `http-too-large` or `http-redirect-refused`. The second and the third
 * may also come while the body is read. No message contains credentials.
 */
export async function request(query: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  const limits = { ...defaultLimits, ...query.limits }
  const deadline = abortAfter(limits.totalMs)
  const patience: Patience = { signal, deadline, limits }
  let place = new URL(query.url)
  for (let followed = 0; ; followed += 1) {
    const message = await exchange(place, query, patience)
    const next = redirection(message, place)
    if (next === undefined) return respond(message, place, patience)
    message.destroy()
    if (followed === mostRedirects) throw refused(place, `leads on and on, ${mostRedirects} times already`)
    if (!isSameHost(place, next)) throw refused(place, `leads to another host, ${next.origin}`)
    place = next
  }
}

const mostRedirects = 5

type Patience = {
  readonly signal: AbortSignal
  readonly deadline: AbortSignal
  readonly limits: HttpLimits
}

function exchange(place: URL, query: HttpRequest, patience: Patience): Promise<IncomingMessage> {
  const { limits, signal, deadline } = patience
  const either = linkedAbort(signal, deadline)
  const bare = new URL(place)
  bare.username = ''
  bare.password = ''
  const options = {
    method: query.method ?? 'GET',
    headers: headersOf(query),
    agent: false,
    signal: either.signal,
  }
  const secure = bare.protocol === 'https:'
  const client = secure ? https().request(bare, options) : requestHttp(bare, options)
  client.once('close', either[Symbol.dispose])
  return new Promise((resolve, reject) => {
    // Once there is an answer, errors reach the caller only through it.
    let latest: ClientRequest | IncomingMessage = client
    client.once('response', message => {
      latest = message
      resolve(message)
    })
    client.on('error', error => reject(translate(error, place, patience)))
    client.setTimeout(limits.idleMs, () =>
      latest.destroy(new Late(`no byte for ${secondsText(limits.idleMs)}`)),
    )
    limitConnecting(client, secure ? 'secureConnect' : 'connect', limits.connectMs)
    client.end(query.body)
  })
}

function headersOf({ headers, body }: HttpRequest): Record<string, string> {
  return {
    'user-agent': 'tallyman',
    ...(body === undefined ? {} : { 'content-length': String(body.byteLength) }),
    ...headers,
  }
}

function limitConnecting(client: ClientRequest, connected: 'connect' | 'secureConnect', ms: number): void {
  const timer = later(ms, () => client.destroy(new Late(`no connection within ${secondsText(ms)}`)))
  client.once('socket', socket => socket.once(connected, timer.cancel))
  client.once('close', timer.cancel)
}

function redirection(message: IncomingMessage, place: URL): URL | undefined {
  const { statusCode = 0, headers } = message
  if (![301, 302, 307, 308].includes(statusCode) || headers.location === undefined) return undefined
  if (!URL.canParse(headers.location, place.href)) return undefined
  return new URL(headers.location, place)
}

function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  const standardPorts = from.port === '' && to.port === ''
  return (
    from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname && standardPorts
  )
}

function respond(message: IncomingMessage, place: URL, patience: Patience): HttpResponse {
  const headers = Object.entries(message.headersDistinct).map(([name, values]) => [name, values?.join(', ')])
  return {
    url: place.href,
    status: message.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: bounded(message, place, patience),
    discard: () => message.destroy(),
  }
}

async function* bounded(message: IncomingMessage, place: URL, patience: Patience): AsyncIterable<Uint8Array> {
  const { bytes: most } = patience.limits
  let bytes = 0
  try {
    for await (const chunk of message) {
      bytes += chunk.byteLength
      if (bytes > most) throw tooLarge(place, most)
      yield chunk
    }
  } catch (error) {
    throw translate(error, place, patience)
  }
}

/** The timers of a connection destroy it with this error. */
class Late extends Error {}

function translate(error: unknown, place: URL, { signal, deadline, limits }: Patience): unknown {
  if (error instanceof Failure) return error
  if (signal.aborted) return signal.reason
  if (deadline.aborted)
    return new Failure(
      'http-timeout',
      `${shown(place)}: did not finish within ${secondsText(limits.totalMs)}`,
      {
        cause: error,
      },
    )
  if (error instanceof Late)
    return new Failure('http-timeout', `${shown(place)}: ${error.message}`, { cause: error })
  return new Failure('http-unreachable', `${shown(place)}: ${reasonOf(error)}`, { cause: error })
}

/** Node may report several connection errors at once, with nothing but a code. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ')
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'ECONNRESET') return 'the connection broke off'
  return messageOf(error)
}

function tooLarge(place: URL, most: number): Failure {
  return new Failure('http-too-large', `${shown(place)}: the answer is larger than ${most} bytes`)
}

function refused(place: URL, reason: string): Failure {
  return new Failure('http-redirect-refused', `${shown(place)}: ${reason}`)
}

/** Returns the address without user, password and query. */
function shown(place: URL): string {
  return `${place.origin}${place.pathname}`
}
