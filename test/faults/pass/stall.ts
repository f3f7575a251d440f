import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a server on this machine that can fall silent in the middle of an answer. */
export type Stall = AsyncDisposable & {
  readonly host: string
  /** Lets that many bytes of answers through from now on; resolves once there were more. */
  after(bytes: number): Promise<void>
  /** Cuts what is stalled, and lets everything through again. */
  release(): void
}

/** Listens on a free loopback port and hands everything on to that `host:port`. */
export async function stallBefore(target: string): Promise<Stall> {
  const { hostname, port } = new URL(`http://${target}`)
  const open = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let stalled = () => {}
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => open.delete(socket))
    }
    client.pipe(upstream)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.end())
    upstream.on('data', bytes => {
      left -= bytes.length
      if (left < 0) stalled()
      else client.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    host: `127.0.0.1:${address.port}`,
    after(bytes) {
      left = bytes
      return new Promise(resolve => {
        stalled = resolve
      })
    },
    release() {
      left = Number.POSITIVE_INFINITY
      cut()
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
