import type { Agent } from 'node:http'
import { inspect } from 'node:util'
import type Docker from 'dockerode'
import { steadyMs } from '../clock.ts'
import type { RegistryLogin } from '../engine.ts'
import { Failure } from '../errors.ts'
import { Agent as HttpAgent, https } from '../node-http.ts'
import { type Redact, redactNothing } from '../redact.ts'
import { later, timeout } from '../timer.ts'
import { abortable } from './abortable.ts'
import { apiVersion } from './api-version.ts'
import { connectionFailure } from './connection-failure.ts'
import { type Endpoint, endpointOf, type SiteEndpoint, type TlsFiles } from './endpoint.ts'
import { type EngineVersion, otherEngine } from './engine-version.ts'
import { knock } from './knock.ts'
import type { Looks } from './looks.ts'
import { isLeaving } from './refusal.ts'
import { markOf, readTls } from './tls-files.ts'
import { type Turns, turns } from './turns.ts'

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
export type Answer<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly status: number; readonly message: string }

/** The connection to one engine. */
export type Client = {
  readonly site: string
  readonly tls?: TlsFiles
  /** The path of its socket, if it is reached by one. */
  readonly socket?: string
  /** Whether the ingress on this site is a container of the operator. */
  readonly hasExternalIngress: boolean
  /** Reads the login for a registry's host at each call (G21). */
  readonly login: (host: string) => Promise<RegistryLogin | undefined>
  /**
   * Asks the engine once. A refusal is an answer. Fails with `engine-unreachable`, `engine-denied`,
   * `engine-unsupported`, or, if the signal aborts, `interrupted`. `T` is the body that the Engine API documents for
   * the path.
   */
  call<T>(request: EngineRequest, signal: AbortSignal): Promise<Answer<T>>
  /** Whether the engine accepts connections. An engine that shuts down does not, while it ends its containers. */
  knock(): Promise<boolean>
  /** Whether the engine was unreachable a short time ago. Around that time it ends and restores its containers. */
  wasAway(): boolean
  /**
   * Records that the engine went away, as the end of one of its streams shows. Calls and knocks record it themselves.
   */
  noteAway(): void
  /** Runs what concerns one thing of the engine one after the other. */
  readonly inTurn: Turns
  /** The versions of programs in containers, by the container's id. They never change. */
  readonly versions: Map<string, string>
  /** Hides the secrets of the environment in the output of containers (G16). */
  readonly redact: Redact
  /** The engine's own ids of images, by their digest. They never change. */
  readonly imageIds: Map<string, string>
  /** The reserved labels of images, by the digest or the id of each. They never change. */
  readonly reservedLabels: Map<string, readonly string[]>
  readonly looks: Looks
}

/**
 * Creates a client, which connects at the first call. Fails with `config-invalid` if the address is invalid.
 * - Commands that ask no engine never load dockerode, which takes 100 ms and 30 MB.
 * - The API version is negotiated once per connection, and again after the connection was lost.
 * - The next call uses renewed certificates. While their files cannot be read, the former ones are used.
 * - Connections are kept alive and used again.
 */
export function openClient(site: SiteEndpoint, login: Client['login'], hasExternalIngress = false): Client {
  const { name } = site
  const endpoint = endpointOf(site, process.env)
  let opened: Promise<Docker> | undefined
  let openedWith: string | undefined
  let awayAtMs = Number.NEGATIVE_INFINITY
  const noteAway = () => {
    awayAtMs = steadyMs()
  }
  const forget = () => {
    opened = undefined
  }
  const docker = async () => {
    const files = await markOf(endpoint)
    if (files !== undefined && files !== openedWith) forget()
    openedWith = files ?? openedWith
    opened ??= open(name, endpoint).catch(error => {
      forget()
      throw error
    })
    return opened
  }
  return {
    site: name,
    ...(endpoint.kind === 'tcp' && endpoint.tls !== undefined ? { tls: endpoint.tls } : {}),
    ...(endpoint.kind === 'unix' ? { socket: endpoint.path } : {}),
    hasExternalIngress,
    login,
    inTurn: turns(),
    versions: new Map(),
    knock: async () => {
      const isThere = await knock(endpoint)
      if (!isThere) noteAway()
      return isThere
    },
    wasAway: () => steadyMs() - awayAtMs < restoresWithinMs,
    noteAway,
    redact: redactNothing,
    imageIds: new Map(),
    reservedLabels: new Map(),
    looks: new Map(),
    call: async <T>(request: EngineRequest, signal: AbortSignal) => {
      const limitMs = request.limitMs ?? callLimitMs
      const limit = new AbortController()
      const timer = later(limitMs, () => limit.abort(lateness(name, limitMs)))
      const limited = AbortSignal.any([signal, limit.signal])
      try {
        const answer = await dial<T>(await abortable(docker(), limited), request, limited)
        if (!answer.ok && isLeaving(answer)) noteAway()
        if (!answer.ok && /client version \S+ is too (old|new)/.test(answer.message)) forget()
        return answer
      } catch (error) {
        const failure = connectionFailure(name, error, signal)
        if (failure.code === 'engine-unreachable') noteAway()
        if (failure.code === 'engine-unreachable' || failure.code === 'engine-denied') forget()
        throw failure
      } finally {
        timer.cancel()
      }
    },
  }
}

const callLimitMs = 30_000
/** An engine that was restarted has restored its containers within this time. */
const restoresWithinMs = 30_000
/** For a call that may move many bytes, or makes the engine look for a plugin, which takes up to a minute. */
export const patientMs: number = 120_000
const openLimitMs = 10_000

function lateness(site: string, limitMs: number): Failure {
  return new Failure(
    'engine-unreachable',
    `${site}: the Docker Engine did not answer within ${limitMs / 1000} s`,
  )
}

async function open(site: string, endpoint: Endpoint): Promise<Docker> {
  const options = await optionsOf(site, endpoint)
  const { loadDockerode } = await import('./load-dockerode.ts')
  const Docker = loadDockerode()
  const answer = await dial<EngineVersion>(
    new Docker(options),
    { method: 'GET', path: '/version' },
    timeout(openLimitMs),
  )
  const other = answer.ok ? otherEngine(answer.body) : undefined
  if (other !== undefined)
    throw new Failure('engine-unsupported', `${site}: ${other} listens there instead of a Docker Engine`)
  const offered = answer.ok ? answer.body.ApiVersion : undefined
  if (offered === undefined)
    throw new Failure('engine-unreachable', `${site}: the server there does not answer like a Docker Engine`)
  return new Docker({ ...options, version: `v${apiVersion(offered)}` })
}

/** Every field is set, so that the library takes nothing from the environment. */
async function optionsOf(site: string, endpoint: Endpoint) {
  const none = { host: undefined, port: undefined, ca: undefined, cert: undefined, key: undefined }
  if (endpoint.kind === 'unix')
    return {
      ...none,
      socketPath: endpoint.path,
      protocol: 'http' as const,
      agent: quiet(new HttpAgent(keepAlive)),
    }
  const { host, port, tls } = endpoint
  const tcp = { ...none, socketPath: undefined, host, port }
  if (tls === undefined) return { ...tcp, protocol: 'http' as const, agent: quiet(new HttpAgent(keepAlive)) }
  const files = await readTls(site, tls)
  const { Agent: HttpsAgent } = https()
  return { ...tcp, ...files, protocol: 'https' as const, agent: quiet(new HttpsAgent(keepAlive)) }
}

const keepAlive = { keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 16, timeout: 60_000 }

/** The transport prints its options at every call, which is slow for an agent with open sockets. */
function quiet(agent: Agent): Agent {
  return Object.assign(agent, { [inspect.custom]: () => 'Agent' })
}

async function dial<T>(docker: Docker, request: EngineRequest, signal: AbortSignal): Promise<Answer<T>> {
  const { method, path, query = {}, body = {}, archive, login, stream = false } = request
  try {
    const answer = await abortable(
      new Promise<unknown>((resolve, reject) => {
        docker.modem.dial(
          {
            method,
            path: `${path}?`,
            options: { _query: query, _body: body },
            ...(login === undefined ? {} : { authconfig: authOf(login) }),
            ...(archive === undefined ? {} : { file: archive }),
            isStream: stream,
            statusCodes: accepted,
            abortSignal: signal,
          },
          (error, answer) => (error ? reject(error) : resolve(answer)),
        )
      }),
      signal,
    )
    return { ok: true, body: answer as T }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    return refusal
  }
}

const accepted = { 200: true, 201: true, 204: true }

function authOf({ username, password, host }: RegistryLogin & { readonly host: string }) {
  return { username, password, serveraddress: host }
}

function refusalOf(error: unknown): Answer<never> | undefined {
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
