import type { Agent } from 'node:http'
import { inspect } from 'node:util'
import type Docker from 'dockerode'
import { Failure } from '../../errors.ts'
import { Agent as HttpAgent, https } from '../../node-http.ts'
import { timeout } from '../../timer.ts'
import { apiVersion } from './api-version.ts'
import { dial } from './dial.ts'
import type { Endpoint } from './endpoint.ts'
import { type EngineVersion, otherEngine } from './engine-version.ts'
import { readTls } from './tls-files.ts'

/** A transport that speaks the negotiated API version, and the engine's own version. */
export type OpenedEngine = {
  readonly docker: Docker
  readonly version: string | undefined
  /** Ends the connections, each as soon as nothing uses it. */
  close(): void
}

const openLimitMs = 10_000

/**
 * Connects to an engine and negotiates the API version. Fails with `engine-unsupported`, `engine-unreachable`, or as
 * the transport does.
 */
export async function open(site: string, endpoint: Endpoint): Promise<OpenedEngine> {
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
  const docker = new Docker({ ...options, version: `v${apiVersion(offered)}` })
  return {
    docker,
    version: answer.ok ? answer.body.Version : undefined,
    close: () => retire(options.agent),
  }
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

/** Two connections wait for the next calls. With many sites, more of them would be most of the daemon's memory. */
const keepAlive = { keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 2, timeout: 60_000 }

/** What is in use is ended by the agent as soon as it is free. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
}

/** The transport prints its options at every call, which is slow for an agent with open sockets. */
function quiet(agent: Agent): Agent {
  return Object.assign(agent, { [inspect.custom]: () => 'Agent' })
}
