import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { type FastifyError, type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { Failure, toFailure } from '../errors.ts'
import { printableJson } from '../text/printable.ts'
import type { ControlOptions } from './controlled.ts'
import { isLong, jsonPieces } from './json-pieces.ts'
import { type ControlRoute, routes } from './requests.ts'

const json = 'application/json'
const mostBytes = 64 * 1024
/** More than Node.js reads of an address, so that no name in a path is too long for the router. */
const longestName = 64 * 1024

/**
 * Creates the server of the control plane, which does not listen yet. Whatever it refuses, it refuses in JSON: `{error:
 * {code, message, hint}}`.
 */
export function createControlServer(options: ControlOptions): FastifyInstance {
  const server = fastify({
    bodyLimit: mostBytes,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: {
      maxParamLength: longestName,
      querystringParser: text => Object.fromEntries(new URLSearchParams(text)),
    },
    rewriteUrl: ({ url = '/' }) => placeOf(url) ?? url,
    frameworkErrors: (error, _request, reply) => refuse(reply, error),
    clientErrorHandler: refuseUnread,
    schemaController: { compilersFactory: { buildValidator: () => compile, buildSerializer: () => compile } },
    schemaErrorFormatter: errors => new Failure('wrong-usage', errors.map(faultText).join(', ')),
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'string' }, async (_: unknown, body: string) => parse(body))
  server.setErrorHandler((error, _request, reply) => refuse(reply, error))
  server.setNotFoundHandler(({ method, url, originalUrl }, reply) => {
    if (placeOf(originalUrl) === undefined)
      return refuse(reply, new Failure('wrong-usage', 'the address of the request is no URL'))
    const failure = new Failure('wrong-usage', `there is no ${method} ${url.replace(/\?.*/s, '')}`)
    return send(reply, 404, { error: errorJson(failure) })
  })
  for (const route of routes) serve(server, route, options)
  return server
}

function serve(
  server: FastifyInstance,
  { method, url, accepts, run }: ControlRoute,
  options: ControlOptions,
): void {
  const input = method === 'GET' ? 'querystring' : 'body'
  server.route({
    method,
    url,
    ...(accepts === undefined ? {} : { schema: { [input]: {} }, validatorCompiler: () => accepts }),
    // A request without a body is one that says nothing.
    preValidation: async request => {
      if (method === 'POST') request.body ??= {}
    },
    handler: async ({ query, body, params }, reply) => {
      const said = method === 'GET' ? query : body
      const given = { ...Object(said), ...Object(params) }
      const answer = await run(options, given as never)
      return isText(answer)
        ? reply
            .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
            .send(Readable.from(answer, { objectMode: false }))
        : isLong(answer)
          ? reply.code(200).header('content-type', json).send(inPieces(answer, options))
          : send(reply, 200, answer)
    },
  })
}

/** Whether an answer is a text, which is made as it is sent. */
function isText(answer: unknown): answer is AsyncIterable<string> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
}

/** Returns the path and the query of an address, in the one form that the routes have; undefined if it is no URL. */
function placeOf(address: string): string | undefined {
  const url = URL.parse(address, 'http://control')
  return url === null ? undefined : `${url.pathname}${url.search}`
}

/**
 * Nothing is compiled while the daemon runs: the validators were generated before. Without this the server would load
 * its own compilers.
 */
function compile(): never {
  throw new Failure('internal', 'a route has a schema without a generated validator')
}

type Fault = NonNullable<FastifyError['validation']>[number]

function faultText({ keyword, instancePath, params, message = '' }: Fault): string {
  if (keyword === 'required') return `${params['missingProperty']} is required`
  const key = instancePath.slice(1)
  // Only counts have a pattern.
  return keyword === 'pattern' ? `${key} is not a whole number` : `${key || 'the request'} ${message}`
}

function send(reply: FastifyReply, status: number, value: unknown): FastifyReply {
  return reply
    .code(status)
    .header('content-type', json)
    .serializer((text: string) => text)
    .send(printableJson(value))
}

/** How much of a long answer is written in one turn of the event loop, in characters: some milliseconds. */
const fullTurn = 256 * 1024

/** Returns the text of an answer about many sites, which is made as it is sent. */
function inPieces(answer: unknown, { running }: ControlOptions): Readable {
  async function* texts(): AsyncGenerator<string> {
    let text = ''
    for (const piece of jsonPieces(answer)) {
      text += piece
      if (text.length < fullTurn) continue
      yield text
      text = ''
      await running[0]?.world.pacing.tell()
    }
    yield text
  }
  return Readable.from(texts(), { objectMode: false })
}

function refuse(reply: FastifyReply, error: unknown): FastifyReply {
  const failure = failureOf(error)
  return send(reply, httpStatusOf(failure), { error: errorJson(failure) })
}

function errorJson({ code, message, hint }: Failure): object {
  return { code, message, hint }
}

/** The words of the server itself, by its code: what it refuses before any code of ours sees it. */
const refusals: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: `the request is larger than ${mostBytes} bytes`,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the type of the body is no media type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as the request says',
  FST_ERR_BAD_URL: 'the path is not a correctly encoded URL path',
}

function failureOf(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const words = refusals[code]
  return words === undefined ? toFailure(error) : new Failure('wrong-usage', words, { cause: error })
}

function httpStatusOf({ code }: Failure): number {
  switch (code) {
    case 'plan-changed':
    case 'plan-answered':
    case 'already-suspended':
    case 'another-writer':
    case 'version-missing':
    case 'version-unclear':
    case 'version-held':
    case 'no-upgrade-path':
    case 'already-stopped':
    case 'deployment-not-begun':
    case 'deployment-done':
    case 'deployment-stopped':
      return 409
    case 'wrong-usage':
    case 'config-invalid':
      return 400
    case 'control-forbidden':
      return 403
    case 'environment-unread':
      return 503
    default:
      return 500
  }
}

/** Answers a request that is no HTTP, or does not come to its end in time, and ends its connection. */
function refuseUnread({ code }: Error & { readonly code: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const words = isLate
    ? 'the request did not come to its end in time'
    : 'the request is no HTTP that can be read'
  const body = printableJson({ error: errorJson(new Failure('wrong-usage', words)) })
  const status = isLate ? '408 Request Timeout' : '400 Bad Request'
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`)
}

/** Reads a body, whatever type it says it has. */
function parse(text: string): object {
  const body = text === '' ? {} : parsed(text)
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new Failure('wrong-usage', 'the request is not a JSON object')
  return body
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('wrong-usage', 'the request is not JSON', { cause })
  }
}
