import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import type { RegistryLogin } from '../../../engine.ts'
import { isRecord, optional } from '../../../object.ts'
import { parsedJson } from '../../../parsed-json.ts'
import { abortable } from '../../../wait/abortable.ts'
import { eachChunk } from '../each-chunk.ts'
import { quiet } from './short-print.ts'
import { mostAnswerBytes, mostRefusalBytes, tooMuch } from './size-limits.ts'

/** One call of the Engine API, without its version. */
export type EngineRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** Objects are sent as JSON. */
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: object
  /** A tar archive, which is sent instead of a body. */
  readonly archive?: Buffer
  /** The engine asks a registry for this: what it refuses may be that one's words, which say nothing about the engine. */
  readonly asksRegistry?: true
  /** The registry that the call is about, and the login for it. */
  readonly login?: RegistryLogin & { readonly host: string }
  /** The longest time until the engine answers, or begins to answer with a stream; 30 s by default. */
  readonly limitMs?: number
  /** Returns the body as a stream, which has a limit of its own. */
  readonly stream?: StreamLimit
  /** Returns the body as a buffer, whatever it looks like: it is somebody else's. Absent: it is JSON, or empty. */
  readonly as?: 'bytes'
}

/**
 * The longest time until a stream ends, which then breaks with `engine-unreachable`. `watched`: whoever reads it
 * notices by itself that nothing comes.
 */
export type StreamLimit = { readonly wholeMs: number } | 'watched'

/**
 * The answer of the engine: a body, or a refusal in its own words. `atMs`: when a stream began, by the clock of the
 * engine, in whole seconds; absent: it does not say.
 */
export type EngineAnswer<T> =
  | { readonly ok: true; readonly body: T; readonly atMs?: number }
  | { readonly ok: false; readonly status: number; readonly message: string }

/**
 * Makes one call. A refusal is an answer; any other error of the transport, such as an answer that breaks off, is
 * thrown as it is. `turn`: when an answer may be read, once all of it is there.
 */
export async function dial<T>(
  docker: Docker,
  request: EngineRequest,
  signal: AbortSignal,
  turn = atOnce,
): Promise<EngineAnswer<T>> {
  const { method, path, query = {}, body = {}, archive, login, stream, as } = request
  const answer = await abortable(
    new Promise<IncomingMessage>((resolve, reject) => {
      docker.modem.dial(
        {
          method,
          path: `${path}?`,
          options: { _query: query, _body: body },
          ...(login === undefined ? {} : { authconfig: authOf(login) }),
          ...(archive === undefined ? {} : { file: archive }),
          // The transport does not notice when an answer breaks off that it reads itself.
          isStream: true,
          // The transport reads refusals of any length.
          statusCodes: everyStatus,
          abortSignal: quiet('AbortSignal', signal),
        },
        (error, answer) => (error ? reject(error) : resolve(answer as IncomingMessage)),
      )
    }),
    signal,
  )
  const { statusCode: status = 0 } = answer
  if (!accepted.includes(status)) {
    const said = await abortable(beginningOf(answer, mostRefusalBytes), signal)
    return { ok: false, status, message: messageIn(said.toString()) }
  }
  if (stream !== undefined)
    return { ok: true, body: answer as T, ...optional('atMs', dateMs(answer.headers.date)) }
  const name = `the answer to ${method} ${path}`
  return { ok: true, body: (await abortable(bodyOf(answer, name, turn, as), signal)) as T }
}

function dateMs(date = ''): number | undefined {
  const ms = Date.parse(date)
  return Number.isNaN(ms) ? undefined : ms
}

/** Why an answer counts for nothing that no engine gives: something else listens there, or stands in between. */
export const foreignAnswer = 'the server there does not answer like a Docker Engine'

/** Returns the body of an answer as it is asked for. Fails if the answer breaks off, never ends, or is no engine's. */
async function bodyOf(
  answer: Readable,
  name: string,
  turn: () => Promise<void>,
  as: EngineRequest['as'],
): Promise<unknown> {
  const whole = await wholeOf(answer, name, mostAnswerBytes)
  await turn()
  if (as === 'bytes' || whole.length === 0) return whole
  const value = parsedJson(whole.toString())
  if (typeof value !== 'object') throw new Error(foreignAnswer)
  return value
}

async function wholeOf(answer: Readable, name: string, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  await eachChunk<Buffer>(answer, chunk => {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooMuch(name, mostBytes, 'bytes')
    chunks.push(chunk)
  })
  return Buffer.concat(chunks)
}

/** Returns the beginning of a refusal, and leaves the rest: it may repeat the words of others, such as a registry's. */
async function beginningOf(answer: Readable, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const enough = new Error('enough')
  const hear = (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > mostBytes) throw enough
  }
  await eachChunk<Buffer>(answer, hear).catch(error => {
    if (error !== enough) throw error
  })
  return Buffer.concat(chunks).subarray(0, mostBytes)
}

async function atOnce(): Promise<void> {}

const accepted: readonly number[] = [200, 201, 204]
const everyStatus: readonly true[] = Array(1_000).fill(true)

function authOf({ username, password, host }: RegistryLogin & { readonly host: string }) {
  return { username, password, serveraddress: host }
}

/** Returns the engine's own words. What is in between may refuse in words of its own. */
function messageIn(said: string): string {
  const json = parsedJson(said)
  const message = isRecord(json) ? json['message'] || json['error'] : undefined
  return typeof message === 'string' ? message.trim() : said.trim()
}
