import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { close } from '../support/network/listen.ts'

/** A second way to the engine; what is made over it bears the labels of before repositories had names. */
export type OlderEngine = AsyncDisposable & {
  /** `unix://…`, for the `endpoint` of a site. */
  readonly endpoint: string
}

/** @param address what the label `tallyman.source` said then */
export async function startOlderEngine(dockerSocket: string, address: string): Promise<OlderEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-older-'))
  const socketPath = join(directory, 'docker.sock')
  const server = createServer(async (incoming, answer) => {
    const { method, url: path = '', headers } = incoming
    const body = /\/create(\?|$)/.test(path) ? older(await textOf(incoming), address) : undefined
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = request(
      { socketPath: dockerSocket, method, path, headers: { ...headers, ...length }, agent: false },
      received => {
        answer.writeHead(received.statusCode ?? 502, received.headers)
        answer.flushHeaders()
        received.pipe(answer)
      },
    )
    outgoing.on('error', () => answer.destroy())
    answer.on('close', () => outgoing.destroy())
    if (body === undefined) incoming.pipe(outgoing)
    else outgoing.end(body)
  })
  await new Promise<void>(resolve => server.listen(socketPath, resolve))
  return {
    endpoint: `unix://${socketPath}`,
    async [Symbol.asyncDispose]() {
      await close(server)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  return text
}

function older(body: string, address: string): string {
  return body
    .replace(/"tallyman\.source":"[^"]*"/g, `"tallyman.source":"${address}"`)
    .replace(/,"tallyman\.directory":"[^"]*"/g, '')
}
