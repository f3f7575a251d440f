import { connect } from 'node:net'
import type { Endpoint } from './endpoint.ts'

const limitMs = 5_000

/**
 * Whether anybody listens at an endpoint, by a connection of its own: an engine that is going down takes no new ones,
 * while it still answers on those it has, and meanwhile ends its containers.
 */
export function knock(endpoint: Endpoint): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(
    endpoint.kind === 'unix' ? { path: endpoint.path } : { host: endpoint.host, port: endpoint.port },
  )
  socket.setTimeout(limitMs)
  socket.once('connect', () => resolve(true))
  socket.once('timeout', () => resolve(false))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
