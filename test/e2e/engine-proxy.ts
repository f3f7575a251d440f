import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A second way to the engine, which can be closed: to whoever uses it the engine is down then. */
export type EngineProxy = AsyncDisposable & {
  /** `unix://…`, for the `endpoint` of a site. */
  readonly endpoint: string
  off(): Promise<void>
  on(): Promise<void>
}

export async function startEngineProxy(dockerSocket: string): Promise<EngineProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-proxy-'))
  const path = join(directory, 'docker.sock')
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, incoming => {
    const outgoing = connect({ path: dockerSocket, allowHalfOpen: true })
    for (const socket of [incoming, outgoing]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        incoming.destroy()
        outgoing.destroy()
      })
    }
    incoming.pipe(outgoing)
    outgoing.pipe(incoming)
  })
  const on = async () => {
    server.listen(path)
    await once(server, 'listening')
  }
  const off = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
  }
  await on()
  return {
    endpoint: `unix://${path}`,
    on,
    off,
    async [Symbol.asyncDispose]() {
      await off()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
