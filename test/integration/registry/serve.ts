import { createServer, type Server } from 'node:http'
import { close, listen } from '../../support/network/listen.ts'

/** What a server says; its headers may depend on its own address. */
export type Reply = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>> | ((host: string) => Record<string, string>)
  readonly body?: string
}

export type ReplyingServer = AsyncDisposable & {
  readonly host: string
  /** How many requests came, and how many of them with a login. */
  readonly requests: number
  readonly authorized: number
}

/** A server that says the same for every path that begins so; `authorized` to a request with a login. */
export async function serve(replies: Readonly<Record<string, Reply>>): Promise<ReplyingServer> {
  let requests = 0
  let authorized = 0
  const server: Server = createServer((request, response) => {
    requests += 1
    const isAuthorized = request.headers.authorization !== undefined
    if (isAuthorized) authorized += 1
    const path = Object.keys(replies).find(prefix => request.url?.startsWith(prefix))
    const reply = (isAuthorized ? replies['authorized'] : undefined) ?? replies[path ?? ''] ?? { status: 404 }
    const { status = 200, headers = {}, body = '' } = reply
    response.writeHead(status, typeof headers === 'function' ? headers(request.headers.host ?? '') : headers)
    response.end(body)
  })
  const port = await listen(server)
  return {
    host: `127.0.0.1:${port}`,
    get requests() {
      return requests
    },
    get authorized() {
      return authorized
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}
