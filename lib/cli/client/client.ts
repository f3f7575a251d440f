import { isErrorCode } from '../../errors/catalogue.ts'
import { Failure } from '../../errors.ts'
import { request } from '../../node-http.ts'
import { secondsText } from '../../text/time.ts'
import { currentUser } from './user.ts'

/** Sends requests to the daemon over its control socket. */
export type DaemonClient = {
  get(path: string): Promise<unknown>
  /** Returns an answer that is not JSON. */
  text(path: string): Promise<string>
  post(path: string, body: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** The daemon answers at once with what it knows. What it does not know it looks for, for less time than this. */
const limitsMs = { GET: 10_000, POST: 40_000 } as const

type Method = keyof typeof limitsMs

type Patience = Readonly<Record<Method, number>>

/**
 * Creates a client of the daemon on a socket. Its calls fail with the daemon's own failure, with `control-forbidden` or
 * with `daemon-unreachable`.
 * @param patienceMs how long an answer may take
 */
export function createClient(socketPath: string, patienceMs: Patience = limitsMs): DaemonClient {
  const call = async (method: Method, path: string, body?: string) => {
    const { status, text } = await ask(socketPath, method, path, body, patienceMs[method])
    if (status === 200) return text
    throw failureOf(socketPath, parsed(socketPath, text))
  }
  return {
    get: async path => parsed(socketPath, await call('GET', path)),
    text: path => call('GET', path),
    post: async (path, body) => {
      const sent = JSON.stringify({ ...body, who: currentUser() })
      return parsed(socketPath, await call('POST', path, sent))
    },
  }
}

type Answer = { readonly status: number | undefined; readonly text: string }

function ask(
  socketPath: string,
  method: Method,
  path: string,
  body: string | undefined,
  timeoutMs: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path, timeout: timeoutMs }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      // It ends in the middle of its answer.
      response.on('error', cause => reject(unreachable(socketPath, cause)))
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    // Something listens there, so it is no help to start a daemon.
    outgoing.on('timeout', () => {
      reject(
        new Failure(
          'daemon-unreachable',
          `the daemon on ${socketPath} does not answer within ${secondsText(timeoutMs)}`,
          { hint: 'Look at its log. If that lasts, end it and start it again.' },
        ),
      )
      outgoing.destroy()
    })
    outgoing.on('error', cause => reject(unreachable(socketPath, cause)))
    outgoing.end(body)
  })
}

/** A daemon may be running although this user may not talk to it. */
function unreachable(socketPath: string, cause: Error): Failure {
  const isForbidden = 'code' in cause && (cause.code === 'EACCES' || cause.code === 'EPERM')
  return isForbidden
    ? new Failure('control-forbidden', `${currentUser()} may not open ${socketPath}`, { cause })
    : new Failure('daemon-unreachable', `no daemon answers on ${socketPath}`, { cause })
}

function parsed(socketPath: string, answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch (cause) {
    throw new Failure('daemon-unreachable', `${socketPath}: the answer cannot be understood`, { cause })
  }
}

/** Returns the failure that the daemon sent. Any other answer does not come from a daemon. */
function failureOf(socketPath: string, answer: unknown): Failure {
  const { error } = Object(answer) as {
    readonly error?: { readonly code?: string; readonly message?: string; readonly hint?: string }
  }
  if (typeof error?.code !== 'string')
    return new Failure(
      'daemon-unreachable',
      `the server that answers on ${socketPath} is not a tallyman daemon`,
    )
  const { code, message = 'the daemon refused', hint } = error
  const said = hint === undefined ? {} : { hint }
  if (isErrorCode(code)) return new Failure(code, message, said)
  return new Failure(
    'daemon-unreachable',
    `${message} (${code}, which this version of tallyman does not know)`,
    said,
  )
}
