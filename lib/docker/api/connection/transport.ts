import type { Agent } from 'node:http'
import type { Endpoint } from '../../../endpoint.ts'
import { Agent as HttpAgent, https } from '../../../node-http.ts'
import type { Lanes } from '../../../wait/lanes.ts'
import { knock } from './knock.ts'
import { readTls } from './login-files.ts'
import { quiet } from './short-print.ts'
import { keepingIn, type WaitingConnections } from './waiting-connections.ts'

/** How dockerode reaches an engine. */
export type Transport = {
  /** Every field is set, so that the library takes nothing from the environment. */
  readonly options: object
  /** Does what comes before the first call and has limits of its own. */
  connect(): Promise<void>
  /** Whether the engine accepts a new connection. */
  knock(): Promise<boolean>
  /** Ends connections, each as soon as nothing uses it. */
  close(): void
}

/** What the transports of a process share. */
export type SharedByTransports = {
  /** Lets few connections to one SSH server be under way at a time. */
  readonly starts: Lanes
  /** Where connections wait for their next call; absent: there is room for all. */
  readonly waiting?: WaitingConnections
}

/**
 * Prepares the way to an engine. Fails with `engine-denied` if the files for TLS cannot be read. What waits for the next
 * call over SSH is a channel of a connection that is open anyhow, and needs no room.
 */
export async function transportTo(
  site: string,
  endpoint: Endpoint,
  { starts, waiting }: SharedByTransports,
): Promise<Transport> {
  const { kind } = endpoint
  const kept = (agent: Agent) => (waiting === undefined ? agent : keepingIn(waiting, agent))
  const none = { host: undefined, port: undefined, ca: undefined, cert: undefined, key: undefined }
  const plain = { ...none, protocol: 'http' as const }
  if (kind === 'unix')
    return over(endpoint, kept(new HttpAgent(keepAlive)), { ...plain, socketPath: endpoint.path })
  if (kind === 'ssh') {
    const { openChannels } = await import('../ssh/channels.ts')
    const channels = openChannels(site, endpoint, starts)
    const createConnection = () => channels.open(keepAlive.timeout)
    const agent = Object.assign(new HttpAgent(keepAlive), { createConnection })
    const { options, close } = over(endpoint, agent, { ...plain, socketPath: endpoint.url })
    return {
      options,
      connect: channels.connect,
      knock: channels.knock,
      close: () => {
        close()
        channels.close()
      },
    }
  }
  const { host, port, tls } = endpoint
  const tcp = { ...none, socketPath: undefined, host, port }
  if (tls === undefined) return over(endpoint, kept(new HttpAgent(keepAlive)), { ...tcp, protocol: 'http' })
  const files = await readTls(site, tls)
  const { Agent: HttpsAgent } = https()
  return over(endpoint, kept(new HttpsAgent(keepAlive)), { ...tcp, ...files, protocol: 'https' })
}

function over(endpoint: Endpoint, agent: Agent, options: object): Transport {
  return {
    options: { ...options, agent: quiet('Agent', agent) },
    connect: async () => undefined,
    knock: () => knock(endpoint),
    close: () => {
      agent.maxFreeSockets = 0
      for (const waiting of Object.values(agent.freeSockets))
        for (const socket of waiting ?? []) socket.destroy()
    },
  }
}

/** Two connections wait for the next calls. With many sites, more of them would be most of the daemon's memory. */
const keepAlive = { keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 2, timeout: 60_000 }
