import { catalogue, type ErrorCode, Failure } from '../errors.ts'
import { request } from '../node-http.ts'
import { currentUser } from './user.ts'

/** Speaks to the daemon over its control socket. */
export type Client = {
  get(path: string): Promise<unknown>
  /** An answer that is no JSON. */
  text(path: string): Promise<string>
  post(path: string, body: Readonly<Record<string, unknown>>): Promise<unknown>
}

const timeoutMs = 10_000

export function createClient(socketPath: string): Client {
  return {
    get: async path => parsed(socketPath, await call(socketPath, 'GET', path, undefined)),
    text: path => call(socketPath, 'GET', path, undefined),
    post: async (path, body) => {
      const sent = JSON.stringify({ ...body, who: currentUser() })
      return parsed(socketPath, await call(socketPath, 'POST', path, sent))
    },
  }
}

async function call(
  socketPath: string,
  method: string,
  path: string,
  body: string | undefined,
): Promise<string> {
  const { status, text } = await ask(socketPath, method, path, body)
  if (status === 200) return text
  throw failureOf(parsed(socketPath, text))
}

type Answer = { readonly status: number | undefined; readonly text: string }

function ask(socketPath: string, method: string, path: string, body: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path, timeout: timeoutMs }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    outgoing.on('error', cause =>
      reject(new Failure('daemon-unreachable', `no daemon answers on ${socketPath}`, { cause })),
    )
    outgoing.end(body)
  })
}

function parsed(socketPath: string, answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch (cause) {
    throw new Failure('daemon-unreachable', `${socketPath}: the answer is not understood`, { cause })
  }
}

function failureOf(answer: unknown): Failure {
  const { error } = answer as {
    readonly error?: { readonly code?: string; readonly message?: string; readonly hint?: string }
  }
  const hint = error?.hint === undefined ? {} : { hint: error.hint }
  return new Failure(
    isCode(error?.code) ? error.code : 'internal',
    error?.message ?? 'the daemon refused',
    hint,
  )
}

function isCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(catalogue, code)
}
