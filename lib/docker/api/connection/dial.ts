import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import type { RegistryLogin } from '../../../engine.ts'
import { abortable } from '../abortable.ts'
import { eachChunk } from '../each-chunk.ts'
import { quiet } from './quiet.ts'

/** One call of the Engine API, without its version. */
export type EngineRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** Objects are sent as JSON. */
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: object
  /** A tar archive, which is sent instead of a body. */
  readonly archive?: Buffer
  /** The registry that the call is about, and the login for it. */
  readonly login?: RegistryLogin & { readonly host: string }
  /** The longest time until the engine answers, or begins to answer with a stream; 30 s by default. */
  readonly limitMs?: number
  /** Returns the body as a stream, which has a limit of its own. */
  readonly stream?: StreamLimit
}

/**
 * The longest time until a stream ends, which then breaks with `engine-unreachable`. `watched`: whoever reads it
 * notices by itself that nothing comes.
 */
export type StreamLimit = { readonly wholeMs: number } | 'watched'

/** The answer of the engine: a body, or a refusal in its own words. */
export type EngineAnswer<T> =
  | { readonly ok: true; readonly body: T }
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
  const { method, path, query = {}, body = {}, archive, login, stream } = request
  try {
    const answer = await abortable(
      new Promise<Readable>((resolve, reject) => {
        docker.modem.dial(
          {
            method,
            path: `${path}?`,
            options: { _query: query, _body: body },
            ...(login === undefined ? {} : { authconfig: authOf(login) }),
            ...(archive === undefined ? {} : { file: archive }),
            // The transport does not notice when an answer breaks off that it reads itself.
            isStream: true,
            statusCodes: accepted,
            abortSignal: quiet('AbortSignal', signal),
          },
          (error, answer) => (error ? reject(error) : resolve(answer as Readable)),
        )
      }),
      signal,
    )
    const told = stream === undefined ? await abortable(bodyOf(answer, turn), signal) : answer
    return { ok: true, body: told as T }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    return refusal
  }
}

/** Returns the body of an answer, read as JSON if that is what it is. Fails if the answer breaks off. */
async function bodyOf(answer: Readable, turn: () => Promise<void>): Promise<unknown> {
  const chunks: Buffer[] = []
  await eachChunk<Buffer>(answer, chunk => chunks.push(chunk))
  await turn()
  const whole = Buffer.concat(chunks)
  try {
    return JSON.parse(whole.toString())
  } catch {
    return whole
  }
}

async function atOnce(): Promise<void> {}

const accepted = { 200: true, 201: true, 204: true }

function authOf({ username, password, host }: RegistryLogin & { readonly host: string }) {
  return { username, password, serveraddress: host }
}

function refusalOf(error: unknown): EngineAnswer<never> | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number')
    return undefined
  const said = 'json' in error ? messageIn(error.json) : undefined
  const message = said ?? error.message.replace(/^\(HTTP code \d+\) .*? - /, '').trim()
  return { ok: false, status: error.statusCode, message }
}

function messageIn(json: unknown): string | undefined {
  if (json === null || typeof json !== 'object' || !('message' in json)) return undefined
  return typeof json.message === 'string' ? json.message : undefined
}
