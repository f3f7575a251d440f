import { createServer, type ServerResponse } from 'node:http'
import { openClient } from '../../../../lib/docker/api/client.ts'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { close, listen } from '../../../support/network/listen.ts'

const { signal } = new AbortController()

/** An engine that answers everything but the question for its version like this. */
export async function engine(answer: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/version') === true) response.end('{"ApiVersion":"1.44"}')
    else answer(response)
  })
  const client = openClient(
    { name: 'local', endpoint: `tcp://127.0.0.1:${await listen(server)}` },
    async () => undefined,
  )
  return {
    client,
    call: <T>(request: EngineRequest) => client.call<T>(request, signal),
    [Symbol.asyncDispose]: () => close(server),
  }
}
