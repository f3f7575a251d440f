import { catalogue, type ErrorCode, Failure } from '../errors.ts'
import { request } from '../node-http.ts'
import { currentUser } from './user.ts'

/** Speaks to the daemon over its control socket. */
export type Client = {
  get(path: string): Promise<unknown>
  post(path: string, body: Readonly<Record<string, unknown>>): Promise<unknown>
}

const timeoutMs = 10_000

export function createClient(socketPath: string): Client {
  return {
    get: path => call(socketPath, 'GET', path, undefined),
    post: (path, body) => call(socketPath, 'POST', path, JSON.stringify({ ...body, who: currentUser() })),
  }
}

function call(socketPath: string, method: string, path: string, body: string | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path, timeout: timeoutMs }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        try {
          const answer: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
          if (response.statusCode === 200) resolve(answer)
          else reject(failureOf(answer))
        } catch (cause) {
          reject(new Failure('daemon-unreachable', `${socketPath}: the answer is not understood`, { cause }))
        }
      })
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    outgoing.on('error', cause =>
      reject(new Failure('daemon-unreachable', `no daemon answers on ${socketPath}`, { cause })),
    )
    outgoing.end(body)
  })
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
