import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { close, listen } from '../network/listen.ts'
import { gitEnvironment } from './git.ts'

/** One request to the server; `service` is `git-upload-pack` (reading) or `git-receive-pack` (pushing). */
export type GitRequest = {
  readonly method: string
  readonly path: string
  readonly service: string
  readonly authorization: string | undefined
}

/** What goes wrong with every request as long as it is set. */
export type GitFault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly delayMs: number }
  | { readonly truncateAfterBytes: number }
  /** Base URL; path and query of the request are kept. */
  | { readonly redirectTo: string }
  /** The connection is cut without an answer. */
  | { readonly reset: true }

export type GitServer = AsyncDisposable & {
  /** Without a slash at the end; a repository is at `url/NAME.git`. */
  readonly url: string
  /** Where the bare repositories are. */
  readonly directory: string
  readonly requests: GitRequest[]
  /** Asks for this name and password from now on; without arguments, for none. */
  auth(user?: string, password?: string): void
  fail: GitFault | undefined
  stop(): Promise<void>
}

/** Starts git's own HTTP server, protocol 2 included, on a free loopback port. */
export async function startGitServer(): Promise<GitServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-git-'))
  let password: string | undefined

  const server = createServer(async (incoming, answer) => {
    incoming.on('error', () => undefined)
    const url = new URL(incoming.url ?? '/', 'http://localhost')
    self.requests.push({
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      service: url.searchParams.get('service') ?? url.pathname.split('/').at(-1) ?? '',
      authorization: incoming.headers.authorization,
    })
    if (password !== undefined && incoming.headers.authorization !== password) {
      incoming.resume()
      answer.writeHead(401, { 'www-authenticate': 'Basic realm="git"' })
      answer.end('authentication required\n')
      return
    }
    const fault = self.fail
    if (fault !== undefined && !(await survives(fault, incoming, answer))) return
    serve(directory, url, incoming, answer, truncation(fault))
  })
  const port = await listen(server)

  async function stop(): Promise<void> {
    await close(server)
    await rm(directory, { recursive: true, force: true })
  }

  const self: GitServer = {
    url: `http://127.0.0.1:${port}`,
    directory,
    requests: [],
    auth: (user, secret) => {
      password =
        user === undefined ? undefined : `Basic ${Buffer.from(`${user}:${secret ?? ''}`).toString('base64')}`
    },
    fail: undefined,
    stop,
    [Symbol.asyncDispose]: stop,
  }
  return self
}

function truncation(fault: GitFault | undefined): number {
  return fault !== undefined && 'truncateAfterBytes' in fault ? fault.truncateAfterBytes : Infinity
}

/** Answers the request itself, and says false, when the fault leaves nothing to serve. */
async function survives(
  fault: GitFault,
  incoming: IncomingMessage,
  answer: ServerResponse,
): Promise<boolean> {
  if ('truncateAfterBytes' in fault) return true
  if ('delayMs' in fault) {
    await pause(fault.delayMs, undefined, { ref: false })
    return !incoming.destroyed
  }
  if ('reset' in fault) {
    incoming.socket.destroy()
    return false
  }
  incoming.resume()
  if ('redirectTo' in fault) {
    answer.writeHead(302, { location: `${fault.redirectTo.replace(/\/$/, '')}${incoming.url ?? ''}` })
  } else {
    answer.writeHead(fault.status, fault.headers)
  }
  answer.end()
  return false
}

/** Hands the request to `git http-backend`, which speaks CGI. */
function serve(
  directory: string,
  url: URL,
  incoming: IncomingMessage,
  answer: ServerResponse,
  limitBytes: number,
): void {
  const { headers } = incoming
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...process.env,
      ...gitEnvironment,
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REQUEST_METHOD: incoming.method ?? 'GET',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      REMOTE_USER: 'anyone',
      REMOTE_ADDR: '127.0.0.1',
      ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: headers['content-length'] }),
    },
  })
  child.on('error', () => answer.destroy())
  child.stdin.on('error', () => undefined)
  answer.on('close', () => child.kill())
  incoming.pipe(child.stdin)
  relay(child.stdout, answer, limitBytes)
}

/** Turns a CGI answer into an HTTP answer; cuts the connection after so many bytes of the body. */
function relay(output: Readable, answer: ServerResponse, limitBytes: number): void {
  let head = Buffer.alloc(0)
  let left = limitBytes
  let inBody = false

  function send(bytes: Buffer): void {
    answer.write(bytes.subarray(0, left))
    left -= bytes.length
    if (left > 0) return
    // After the write, so that the client sees the beginning and then a broken connection.
    answer.write('', () => answer.destroy())
  }

  output.on('data', (bytes: Buffer) => {
    if (left <= 0) return
    if (inBody) return send(bytes)
    head = Buffer.concat([head, bytes])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    inBody = true
    writeHead(answer, head.subarray(0, end).toString('latin1'))
    if (head.length > end + 4) send(head.subarray(end + 4))
  })
  output.on('end', () => {
    if (left > 0) answer.end()
  })
}

function writeHead(answer: ServerResponse, head: string): void {
  const pairs = head.split('\r\n').map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
  })
  const status = pairs.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200'
  answer.writeHead(
    Number.parseInt(status, 10),
    Object.fromEntries(pairs.filter(([name]) => name.toLowerCase() !== 'status')),
  )
}
