import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { close } from './listen.ts'

/** A way to an engine on which every call is noted down. */
export type CountingEngine = AsyncDisposable & {
  readonly socket: string
  /** `GET /containers/json`, without API version and query, in the order they came. */
  readonly calls: readonly string[]
  forgetCalls(): void
}

/** Opens a second socket to the engine on the first. */
export async function startCountingEngine(dockerSocket: string): Promise<CountingEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-counting-'))
  const socket = join(directory, 'docker.sock')
  const calls: string[] = []
  const server = createServer((incoming, answer) => {
    const { method, url: path = '', headers } = incoming
    calls.push(`${method} ${path.replace(/^\/v[0-9.]+/, '').replace(/\?.*/, '')}`)
    const outgoing = request({ socketPath: dockerSocket, method, path, headers, agent: false }, received => {
      answer.writeHead(received.statusCode ?? 502, received.headers)
      // A stream of events may have nothing to say for a long time.
      answer.flushHeaders()
      received.pipe(answer)
    })
    outgoing.on('error', () => answer.destroy())
    answer.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>(resolve => server.listen(socket, resolve))
  return {
    socket,
    calls,
    forgetCalls: () => {
      calls.length = 0
    },
    async [Symbol.asyncDispose]() {
      await close(server)
      await rm(directory, { recursive: true, force: true })
    },
  }
}
