import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { close } from '../network/listen.ts'

/** A way to an engine on which every call is noted down. */
export type CountingEngine = AsyncDisposable & {
  readonly socket: string
  /** `GET /containers/json`, without API version and query, in the order they came. */
  readonly calls: readonly string[]
  forgetCalls(): void
}

/** What is answered in the engine's place; undefined: the engine is asked. */
export type Refuses = (call: string) => { readonly status: number; readonly message: string } | undefined

/** Opens a second socket to the engine on the first; `refuses` is given every call as it is noted down. */
export async function startCountingEngine(
  dockerSocket: string,
  refuses: Refuses = () => undefined,
): Promise<CountingEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-counting-'))
  const socket = join(directory, 'docker.sock')
  const calls: string[] = []
  const server = createServer((incoming, answer) => {
    const { method, url: path = '', headers } = incoming
    const call = `${method} ${path.replace(/^\/v[0-9.]+/, '').replace(/\?.*/, '')}`
    calls.push(call)
    const refusal = refuses(call)
    if (refusal !== undefined) {
      incoming.resume()
      answer.writeHead(refusal.status, { 'content-type': 'application/json' })
      answer.end(JSON.stringify({ message: refusal.message }))
      return
    }
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
