import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type Docker from 'dockerode'
import type { RegistryLogin } from '../engine.ts'
import { abortable } from './abortable.ts'

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
  /** Returns the body as a stream. */
  readonly stream?: boolean
}

/** The answer of the engine: a body, or a refusal in its own words. */
export type EngineAnswer<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly status: number; readonly message: string }

/** Makes one call. A refusal is an answer; any other error of the transport is thrown as it is. */
export async function dial<T>(
  docker: Docker,
  request: EngineRequest,
  signal: AbortSignal,
): Promise<EngineAnswer<T>> {
  const { method, path, query = {}, body = {}, archive, login, stream = false } = request
  try {
    const answer = await abortable(
      new Promise<IncomingMessage>((resolve, reject) => {
        docker.modem.dial(
          {
            method,
            path: `${path}?`,
            options: { _query: query, _body: body },
            ...(login === undefined ? {} : { authconfig: authOf(login) }),
            ...(archive === undefined ? {} : { file: archive }),
            // Otherwise the transport waits for ever for an answer that breaks off.
            isStream: true,
            statusCodes: accepted,
            abortSignal: signal,
          },
          (error, answer) => (error ? reject(error) : resolve(answer as IncomingMessage)),
        )
      }),
      signal,
    )
    return { ok: true, body: (stream ? answer : await abortable(bodyOf(answer), signal)) as T }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    return refusal
  }
}

/** Returns a whole body: a value if it is JSON, or else its bytes. Rejects if the connection breaks off before its end. */
async function bodyOf(answer: IncomingMessage): Promise<unknown> {
  const bytes = await buffer(answer)
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return bytes
  }
}

const accepted = { 200: true, 201: true, 204: true }

function authOf({ username, password, host }: RegistryLogin & { readonly host: string }) {
  return { username, password, serveraddress: host }
}

function refusalOf(error: unknown): EngineAnswer<never> | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number')
    return undefined
  const message = error.message.replace(/^\(HTTP code \d+\) .*? - /, '').trim()
  return { ok: false, status: error.statusCode, message }
}
