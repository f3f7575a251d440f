import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { httpCall } from '../network/http-call.ts'
import { close, listen } from '../network/listen.ts'
import { waitUntil } from '../time/wait-until.ts'

/** Where a registry is: all that is needed to push, pull and name images. */
export type RegistryAddress = { readonly host: string; readonly url: string }

/** One request somebody made to the registry; pushes of tests are not listed. */
export type RegistryRequest = { readonly method: string; readonly path: string; readonly status: number }

/** `basic`: each request carries the password; `bearer`: the token flow of the Distribution project. */
export type RegistryAuth = {
  readonly scheme: 'basic' | 'bearer'
  readonly username: string
  readonly password: string
}

export type Registry = RegistryAddress &
  AsyncDisposable & {
    readonly requests: readonly RegistryRequest[]
    /** How many of the requests so far were of this method and path. */
    count(method: string, path: RegExp): number
    forgetRequests(): void
    /** Answers every request with this status until `heal()`. */
    fail(status: number, headers?: Readonly<Record<string, string>>): void
    heal(): void
    /** Refuses connections, as a registry that is down, until `on()`; the port and the images stay. */
    off(): Promise<void>
    on(): Promise<void>
    /** Stops it for good and removes its images; the same as `await using`. */
    stop(): Promise<void>
  }

/** Requests with this header pass by faults, authentication and the list: images are pushed so. */
export const sideDoor = 'x-side-door'

/**
 * Starts a registry of its own on a loopback port, over plain HTTP: engines take 127.0.0.0/8 as insecure.
 * A proxy in front lists the requests, asks for passwords and fails on demand.
 */
export async function startRegistry(
  options: { readonly port?: number; readonly auth?: RegistryAuth } = {},
): Promise<Registry> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-registry-'))
  const behind = await startDistribution(directory)

  const requests: RegistryRequest[] = []
  const tokens = new Set<string>()
  let fault: { status: number; headers: Readonly<Record<string, string>> } | undefined

  const server = createServer((incoming, answer) => {
    if (incoming.headers[sideDoor] === undefined) {
      answer.on('close', () => {
        requests.push({
          method: incoming.method ?? '',
          path: incoming.url ?? '',
          status: answer.statusCode,
        })
      })
      if (fault !== undefined) {
        incoming.resume()
        answer.writeHead(fault.status, fault.headers)
        const code = fault.status === 429 ? 'TOOMANYREQUESTS' : 'UNAVAILABLE'
        answer.end(registryError(code, 'fails on demand'))
        return
      }
      if (options.auth !== undefined && !admits(incoming, answer, options.auth, tokens)) return
    }
    forward(incoming, answer, behind).catch((error: unknown) => {
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(502).end(`the registry behind: ${error}`)
    })
  })
  const port = await listen(server, options.port)

  async function stop(): Promise<void> {
    await close(server)
    await end(behind.child)
    await rm(directory, { recursive: true, force: true })
  }

  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    requests,
    count: (method, path) => requests.filter(one => one.method === method && path.test(one.path)).length,
    forgetRequests: () => {
      requests.length = 0
    },
    fail: (status, headers = {}) => {
      fault = { status, headers }
    },
    heal: () => {
      fault = undefined
    },
    off: () => close(server),
    on: async () => {
      await listen(server, port)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

type Distribution = {
  readonly child: ChildProcess
  readonly socketPath: string
  /** The end of what it logged. */
  log(): string
}

async function startDistribution(directory: string): Promise<Distribution> {
  const socketPath = join(directory, 'socket')
  const logPath = join(directory, 'log')
  const configuration = {
    version: '0.1',
    log: { level: 'error' },
    storage: {
      filesystem: { rootdirectory: join(directory, 'data') },
      delete: { enabled: true },
    },
    http: { net: 'unix', addr: socketPath, relativeurls: true, secret: 'of one test run' },
  }
  const path = join(directory, 'config.yml')
  await writeFile(path, JSON.stringify(configuration))
  // It dies with us, however we die.
  const command = ['--pdeathsig', 'KILL', 'docker-registry', 'serve', path]
  await using log = await open(logPath, 'a')
  const child = spawn('setpriv', command, { stdio: ['ignore', log.fd, log.fd] })
  child.on('error', () => undefined)
  await waitUntil('the registry answers', async () => {
    if (child.exitCode !== null) {
      throw new Error('docker-registry cannot be started; install the package docker-registry')
    }
    const answer = await httpCall({ socketPath, path: '/v2/' }).catch(() => undefined)
    return answer?.status === 200
  })
  return { child, socketPath, log: () => readFileSync(logPath, 'utf8').slice(-2_000) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Answers the request itself, and says false, unless it is one that may pass. */
function admits(
  incoming: IncomingMessage,
  answer: ServerResponse,
  auth: RegistryAuth,
  tokens: Set<string>,
): boolean {
  const basic = `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
  const given = incoming.headers.authorization
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`)

  if (auth.scheme === 'basic') {
    if (given === basic) return true
    return refuse(answer, 'Basic realm="registry"')
  }
  if (url.pathname === '/token') {
    incoming.resume()
    if (given !== basic) return refuse(answer, 'Basic realm="registry"')
    const token = randomBytes(16).toString('hex')
    tokens.add(token)
    answer.writeHead(200, { 'content-type': 'application/json' })
    answer.end(JSON.stringify({ token, expires_in: 300 }))
    return false
  }
  if (given?.startsWith('Bearer ') && tokens.has(given.slice('Bearer '.length))) return true
  const name = /^\/v2\/(.+)\/(?:manifests|blobs|tags)\//.exec(url.pathname)?.[1]
  const scope = name === undefined ? '' : `,scope="repository:${name}:pull"`
  return refuse(answer, `Bearer realm="${url.origin}/token",service="registry"${scope}`)
}

function refuse(answer: ServerResponse, challenge: string): false {
  answer.writeHead(401, { 'www-authenticate': challenge, 'content-type': 'application/json' })
  answer.end(registryError('UNAUTHORIZED', 'authentication required'))
  return false
}

function registryError(code: string, message: string): string {
  return JSON.stringify({ errors: [{ code, message }] })
}

/**
 * With the whole body at hand, so that the registry never waits for the rest of a request. The registry closes
 * a connection now and then before it answers anything; that is told with what it logged, and asked once more.
 */
async function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  behind: Distribution,
): Promise<void> {
  const { authorization: _, connection: __, ...headers } = incoming.headers
  const body = await buffer(incoming)
  const { method, url: path } = incoming
  const ask = () => asked({ socketPath: behind.socketPath, method, path, headers, agent: false }, body)
  const received = await ask().catch(async (error: unknown) => {
    process.stderr.write(`the registry behind: ${method} ${path}: ${error}; it logged: ${behind.log()}\n`)
    return await ask()
  })
  answer.writeHead(received.statusCode ?? 502, received.headers)
  await pipeline(received, answer)
}

function asked(options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(options, resolve).on('error', reject).end(body)
  })
}
