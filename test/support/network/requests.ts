import { Agent, type ClientRequest, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { hangsAfterMs } from '../time/hangs.ts'

/** What became of requests. */
export type Answers = {
  /** How many were answered with 200. */
  readonly answered: number
  /** What was said, each thing once. */
  readonly bodies: ReadonlySet<string>
  /** Of all others: the status or the error, one entry each. */
  readonly failed: readonly string[]
  /** How many of them all were sent twice. */
  readonly resent: number
}

/** Requests that go on; disposing of it ends them, too. */
export type Asking = AsyncDisposable & {
  readonly so: () => Answers
  /** No new ones; resolves when those under way have ended. */
  readonly end: () => Promise<Answers>
}

export type Asked = {
  /** Another machine than this one. */
  readonly address?: string
  readonly port: number
  readonly host: string
  readonly path: string
  /** Besides `Host`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Over HTTPS, trusting nobody but this authority, in PEM. */
  readonly authority?: string
}

export type Clients = {
  /** How many ask at a time, each over a connection of its own that is kept; 16 unless told. */
  readonly clients?: number
  /**
   * How long each of them waits after an answer; 100 ms unless told. Some requests are under way at any time, and some
   * connections are idle: both may be cut off.
   */
  readonly pauseMs?: number
  /**
   * Where a connection is closed before anything of the answer has come, the request is sent again over a new one, three
   * times at most. Else it has failed.
   */
  readonly sendAgain?: boolean
}

export type Said = {
  readonly status: number
  readonly body: string
  readonly headers: NodeJS.Dict<string | string[]>
}

/** One request, whatever the answer; without an agent over a connection of its own. */
export function ask(asked: Asked, agent?: Agent): Promise<Said> {
  return new Promise((resolve, reject) => {
    const call = callFor(asked, agent)
    call.on('response', answer => {
      const parts: Buffer[] = []
      answer.on('data', part => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          body: Buffer.concat(parts).toString(),
          headers: answer.headers,
        }),
      )
    })
    call.setTimeout(hangsAfterMs, () => call.destroy(new Error('no answer')))
    call.on('error', cause => reject(wasClosed(cause) ? new ClosedUnanswered(call, cause) : cause)).end()
  })
}

/** Asks again and again until it is told to end. */
export function keepAsking(
  asked: Asked,
  { clients = 16, pauseMs = 100, sendAgain = false }: Clients = {},
): Asking {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const bodies = new Set<string>()
  const failed: string[] = []
  let answered = 0
  let resent = 0
  let isOver = false
  const askOnce = (over: Agent | undefined, left = 3): Promise<Said> =>
    ask(asked, over).catch((error: unknown) => {
      if (!sendAgain || left === 0 || !(error instanceof ClosedUnanswered)) throw error
      resent += 1
      // Not over another one that was kept: all of them may be closed.
      return askOnce(undefined, left - 1)
    })
  const client = async () => {
    while (!isOver) {
      try {
        const { status, body } = await askOnce(agent)
        if (status === 200) answered += 1
        else failed.push(`status ${status}`)
        if (status === 200) bodies.add(body)
        if (pauseMs > 0) await pause(pauseMs)
      } catch (error) {
        failed.push(String(error))
        // Where nobody listens it would be asked thousands of times a second.
        await pause(50)
      }
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  const so = () => ({ answered, bodies: new Set(bodies), failed: [...failed], resent })
  const end = async () => {
    isOver = true
    await all
    agent.destroy()
    return so()
  }
  return {
    so,
    end,
    async [Symbol.asyncDispose]() {
      await end()
    },
  }
}

class ClosedUnanswered extends Error {
  constructor({ reusedSocket }: ClientRequest, cause: Error) {
    super(`on a ${reusedSocket ? 'kept' : 'new'} connection: ${cause.message}`, { cause })
  }
}

function wasClosed(cause: Error): boolean {
  return 'code' in cause && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')
}

function callFor(
  { address = '127.0.0.1', port, host, path, headers, authority }: Asked,
  agent: Agent | undefined,
): ClientRequest {
  const options = { host: address, port, path, headers: { host, ...headers }, agent: agent ?? false }
  return authority === undefined
    ? request(options)
    : secureRequest({ ...options, servername: host, ca: authority, agent: false })
}
