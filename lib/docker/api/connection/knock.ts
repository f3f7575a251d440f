import { connect } from 'node:net'
import type { Endpoint } from '../../../endpoint.ts'

const limitMs = 5_000

/**
 * Whether an endpoint accepts a new connection. An engine that shuts down does not, while it still answers on existing
 * ones and ends its containers.
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
