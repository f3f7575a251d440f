import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Daemon } from '../container/container.ts'
import type { Answer, Call } from './call.ts'
import type { Faults } from './faults.ts'
import { Refusal } from './refusal.ts'
import { answer } from './routes.ts'

/** The socket of a simulated engine. */
export type Door = {
  readonly isOpen: () => boolean
  open(): Promise<void>
  /** Refuses connections from now on, and cuts those that are open. */
  close(): Promise<void>
}

/** Serves an engine on a unix socket. `onCall` is told every call as `GET /containers/json`. */
export function createDoor(
  daemon: Daemon,
  path: string,
  faults: Faults,
  onCall: (call: string) => void,
): Door {
  const server = createServer((request, response) => {
    void respond(daemon, faults, onCall, request, response)
  })
  // Like the engine, it keeps connections for as long as the other side does.
  server.keepAliveTimeout = 0
  return {
    isOpen: () => server.listening,
    async open() {
      if (server.listening) return
      server.listen(path)
      await once(server, 'listening')
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(
  daemon: Daemon,
  faults: Faults,
  onCall: (call: string) => void,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://engine')
  const { version, path = '/' } =
    /^(?:\/v(?<version>\d+\.\d+))?(?<path>\/.*)$/.exec(url.pathname)?.groups ?? {}
  const method = request.method ?? 'GET'
  const said = `${method} ${decodeURIComponent(path)}`
  onCall(said)
  const fault = faults.take(said)
  const body = await buffer(request)
  if (fault === 'hangs') return
  if (typeof fault === 'object' && 'lateMs' in fault) await late(daemon, fault.lateMs)
  const refusal = typeof fault === 'object' && 'status' in fault ? fault : undefined
  const call = { method, path, query: url.searchParams, body }
  const told = refusal ? refusing(refusal) : await answered(daemon, call, version)
  send(
    daemon,
    response,
    typeof fault === 'object' && 'heldUntil' in fault ? await held(told, fault.heldUntil()) : told,
    fault === 'dies' || fault === 'stalls' ? fault : undefined,
  )
}

function late({ clock }: Daemon, ms: number): Promise<void> {
  return new Promise(resolve => clock.after(ms, resolve))
}

async function held(told: Answer, until: Promise<void>): Promise<Answer> {
  const asItWas = structuredClone(told.json)
  await until
  return { ...told, json: asItWas }
}

async function answered(daemon: Daemon, call: Call, version: string | undefined): Promise<Answer> {
  const { apiVersion } = daemon.identity
  try {
    if (version !== undefined && minorOf(version) > minorOf(apiVersion))
      throw new Refusal(
        400,
        `client version ${version} is too new. Maximum supported API version is ${apiVersion}`,
      )
    return await answer(daemon, call)
  } catch (error) {
    if (error instanceof Refusal) return refusing(error)
    return refusing({ status: 500, message: `the simulated engine fails: ${String(error)}` })
  }
}

function minorOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 1000 + minor
}

function refusing({ status, message }: { readonly status: number; readonly message: string }): Answer {
  return { status, json: { message } }
}

function send(
  { identity }: Daemon,
  response: ServerResponse,
  { status, json, bytes, stream, headers }: Answer,
  cut: 'dies' | 'stalls' | undefined,
): void {
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  const own = {
    'api-version': identity.apiVersion,
    server: `Docker/${identity.version} (linux)`,
    ostype: 'linux',
  }
  response.writeHead(status, { ...own, ...type, ...headers })
  const whole = json === undefined ? bytes : Buffer.from(`${JSON.stringify(json)}\n`)
  if (cut !== undefined) {
    response.write((whole ?? Buffer.from('{')).subarray(0, 1), () => {
      if (cut === 'dies') response.destroy()
    })
  } else if (stream !== undefined) {
    response.flushHeaders()
    response.on('close', () => stream.destroy())
    stream.pipe(response)
  } else response.end(whole)
}
