import { chmodSync, rmSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { Failure, toFailure } from '../errors.ts'
import { hasNoRoom } from '../no-room.ts'
import { createServer } from '../node-http.ts'
import { printableJson } from '../printable.ts'
import type { ControlOptions } from './controlled.ts'
import { verbs } from './verbs.ts'

const mostBytes = 64 * 1024

/**
 * Serves the control plane on a socket that only its owner may open: the permissions of the file are the authorisation.
 * Replaces a socket that a dead process left behind. Fails with `another-writer` if the socket answers, because another
 * daemon uses this state directory.
 */
export async function serveControl(options: ControlOptions): Promise<{ close(): Promise<void> }> {
  const { file } = options
  if (await answers(file)) {
    throw new Failure('another-writer', `another daemon uses this state directory: ${file} answers`)
  }
  rmSync(file, { force: true })
  const server = createServer((request, response) => void handle(options, request, response))
  server.requestTimeout = 10_000
  await listen(server, file)
  return {
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function handle(
  options: ControlOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { pathname, searchParams } = addressOf(request)
    const match = verbs.find(verb => verb.method === request.method && verb.path.test(pathname))
    if (match === undefined)
      return answer(
        response,
        404,
        errorBody(new Failure('wrong-usage', `there is no ${request.method} ${pathname}`)),
      )
    const body = request.method === 'POST' ? await bodyOf(request) : {}
    const query = Object.fromEntries(searchParams)
    const parameters = decoded(pathname.match(match.path)?.groups ?? {})
    answer(response, 200, await match.run(options, { ...query, ...body, ...parameters }))
  } catch (error) {
    const failure = toFailure(error)
    answer(response, statusOf(failure), errorBody(failure))
  }
}

function addressOf({ url = '/' }: IncomingMessage): URL {
  const address = URL.parse(url, 'http://control')
  if (address === null) throw new Failure('wrong-usage', 'the address of the request is no URL')
  return address
}

/** Decodes the names in a path, which commands encode. */
function decoded(parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch (cause) {
    throw new Failure('wrong-usage', 'the path is not a correctly encoded URL path', { cause })
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  if (typeof body === 'string')
    response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body)
  else response.writeHead(status, { 'content-type': 'application/json' }).end(printableJson(body))
}

function errorBody({ code, message, hint }: Failure): object {
  return { error: { code, message, hint } }
}

function statusOf({ code }: Failure): number {
  switch (code) {
    case 'plan-changed':
    case 'plan-answered':
    case 'already-suspended':
    case 'another-writer':
      return 409
    case 'wrong-usage':
    case 'config-invalid':
      return 400
    case 'environment-unread':
      return 503
    default:
      return 500
  }
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Failure('wrong-usage', `the request is larger than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  if (bytes === 0) return {}
  const body: unknown = parse(Buffer.concat(chunks).toString('utf8'))
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new Failure('wrong-usage', 'the request is not a JSON object')
  return Object.fromEntries(Object.entries(body))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('wrong-usage', 'the request is not JSON', { cause })
  }
}

function listen(server: Server, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', cause => {
      const code = hasNoRoom(cause) ? 'disk-full' : 'state-dir-unusable'
      reject(new Failure(code, `${file}: ${cause.message}`, { cause }))
    })
    server.listen(file, () => {
      chmodSync(file, 0o600)
      resolve()
    })
  })
}

function answers(file: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(file)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
