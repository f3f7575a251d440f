import { createServer, type Server } from 'node:net'

/**
 * At most one tallyman on a machine writes to one environment on one engine. A claim lives as long as its process:
 * a kill -9 gives it up. It is a socket in Linux's abstract namespace: no file can be left behind or deleted.
 */
export type Writer = {
  /** Whether the environment on these engines is ours to write; once claimed it stays ours until `release`. */
  claim(environment: string, engineIds: readonly string[]): Promise<boolean>
  release(): Promise<void>
}

export function createWriter(): Writer {
  const held = new Map<string, Server>()
  return {
    async claim(environment, engineIds) {
      for (const engineId of [...engineIds].sort()) {
        const name = `tallyman/${engineId}/${environment}`
        if (held.has(name)) continue
        const server = await listen(name)
        if (server === undefined) return false
        held.set(name, server)
      }
      return true
    },
    async release() {
      await Promise.all([...held.values()].map(server => new Promise(resolve => server.close(resolve))))
      held.clear()
    },
  }
}

function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(`\0${name}`, () => resolve(server))
  })
}
