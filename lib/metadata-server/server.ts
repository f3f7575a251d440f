import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { messageOf } from '../errors.ts'
import { askedPod, isForm } from '../metadata/address.ts'
import { answer, inPlainText, type MetadataAnswer } from '../metadata/answer.ts'
import { createServer } from '../node-http.ts'
import { later, type Timer } from '../wait/timer.ts'
import { createPeers, type Peers } from './peers.ts'
import type { FindRecord } from './records.ts'

/** What a request may be, so that none holds up the others. */
export const requestLimits = {
  headerBytes: 8 * 1024,
  /** Of a form. The bodies of other requests are not kept. */
  bodyBytes: 1024 * 1024,
  headersMs: 5_000,
  wholeMs: 10_000,
  /** How long a connection stays open without a request. */
  idleMs: 30_000,
  /** How long an answer may take to be received once it is sent. */
  receivedMs: 10_000,
  connections: 4_096,
  /** Of one connection that wait for the answer to another one. */
  waiting: 16,
} as const

export type MetadataServerOptions = {
  readonly find: FindRecord
  /** The key of all signatures. */
  readonly key: Buffer
  /** Receives what cannot be read. No token is in it. */
  readonly note: (words: string) => void
}

/** Returns the server of the metadata service, which does not listen yet (C53). */
export function createMetadataServer(options: MetadataServerOptions): Server {
  const peers = createPeers()
  const inOrder = createOrder()
  const server = createServer(
    {
      maxHeaderSize: requestLimits.headerBytes,
      headersTimeout: requestLimits.headersMs,
      requestTimeout: requestLimits.wholeMs,
      keepAliveTimeout: requestLimits.idleMs,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      void inOrder(request, response, () => respond(request, response, peers, options))
    },
  )
  server.maxConnections = requestLimits.connections
  server.on('connection', socket => {
    if (!peers.admit(socket)) socket.destroy()
  })
  return server
}

type InOrder = (
  request: IncomingMessage,
  response: ServerResponse,
  work: () => Promise<void>,
) => Promise<void>

/**
 * Answers the requests of one connection one after the other, each once the answer before was sent. Ends the connection
 * if too many wait, or if an answer is not received: answers that nobody takes would fill the memory.
 */
function createOrder(): InOrder {
  const lines = new WeakMap<Socket, { waiting: number; sent: Promise<unknown> }>()
  return async ({ socket }, response, work) => {
    const line = lines.get(socket) ?? { waiting: 0, sent: Promise.resolve() }
    lines.set(socket, line)
    if (line.waiting >= requestLimits.waiting) return void socket.destroy()
    line.waiting += 1
    const before = line.sent
    const { promise, resolve } = Promise.withResolvers<void>()
    line.sent = promise
    let slow: Timer | undefined
    response.once('close', () => {
      slow?.cancel()
      resolve()
    })
    await before
    if (!socket.destroyed) await work()
    if (!response.closed) slow = later(requestLimits.receivedMs, () => socket.destroy())
    await promise
    line.waiting -= 1
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  peers: Peers,
  { find, key, note }: MetadataServerOptions,
): Promise<void> {
  const { method = '', url = '', headers } = request
  const { socket } = request
  const say = (told: MetadataAnswer) => {
    // Of an answer to nobody, nothing would be given back.
    if (socket.destroyed) return
    const bytes = Buffer.byteLength(told.body)
    const isKept = peers.take(socket, bytes)
    if (isKept) response.once('close', () => peers.giveBack(socket, bytes))
    begin(response, method, isKept ? told : refusals[503])
  }
  try {
    const about = askedPod(url)
    const record = await find(about.token)
    const isKept = record !== undefined && method === 'POST' && isForm(about)
    const contentType = headers['content-type'] ?? ''
    const answerTo = (body: Buffer) => answer({ method, url, contentType, body }, record, key)
    if (!isKept) say(answerTo(nothing))
    using body = await readBody(request, isKept, peers, status => say(refusals[status]))
    if (!response.headersSent) say(answerTo(body.content))
    response.end()
  } catch (error) {
    // Whoever went away in the middle gets no answer.
    if (response.headersSent || (request.destroyed && !request.complete)) return
    note(messageOf(error))
    say(inPlainText(503, 'The metadata cannot be read now.'))
    response.end()
  }
}

const nothing = Buffer.alloc(0)

type Refusal = 413 | 503

const refusals: Readonly<Record<Refusal, MetadataAnswer>> = {
  413: inPlainText(413, 'The form is too large.'),
  503: inPlainText(503, 'Too many requests at the same time.'),
}

/** The body of a request, empty if it is not kept. It occupies memory until it is disposed of. */
type Body = Disposable & { readonly content: Buffer }

/**
 * Reads a request to its end, as long as it may take, also after it has been answered: a connection that ends before
 * may lose the answer. Only a body that is kept occupies memory.
 * @param onRefused is called as soon as it is clear that a body is not kept
 */
async function readBody(
  request: IncomingMessage,
  isKept: boolean,
  peers: Peers,
  onRefused: (status: Refusal) => void,
): Promise<Body> {
  // Nearly all requests; iterating over nothing would take several times as long as the answer.
  if (!hasBody(request)) return { content: nothing, [Symbol.dispose]: () => undefined }
  const { socket } = request
  const chunks: Buffer[] = []
  let bytes = 0
  let isRead = isKept
  const forget = () => {
    peers.giveBack(socket, bytes)
    bytes = 0
    chunks.length = 0
  }
  const refuse = (status: Refusal) => {
    isRead = false
    forget()
    onRefused(status)
  }
  if (isRead && Number(request.headers['content-length']) > requestLimits.bodyBytes) refuse(413)
  try {
    for await (const chunk of request) {
      if (!isRead) continue
      if (bytes + chunk.length > requestLimits.bodyBytes) refuse(413)
      else if (!peers.take(socket, chunk.length)) refuse(503)
      else {
        bytes += chunk.length
        chunks.push(chunk)
      }
    }
  } catch (error) {
    forget()
    throw error
  }
  return { content: Buffer.concat(chunks), [Symbol.dispose]: forget }
}

/** A request has a body if its headers announce one (RFC 9112, section 6). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Sends a whole answer. The response ends once the request has been read. */
function begin(
  response: ServerResponse,
  method: string,
  { status, contentType, body, allow }: MetadataAnswer,
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...(allow === undefined ? {} : { allow }),
  })
  if (method === 'HEAD' || body === '') response.flushHeaders()
  else response.write(body)
}
