import { Agent } from 'node:http'
import pLimit from 'p-limit'
import { httpCall } from '../../support/network/http-call.ts'

/** Calls of the Engine API over connections that stay open. */
export type LimitedCalls = Disposable & {
  /** Throws when the engine refuses. At most so many are under way; a wait does not count. */
  call(method: string, path: string, body?: object): Promise<void>
}

export function limitedCalls(dockerSocket: string, concurrency: number): LimitedCalls {
  const agent = new Agent({ keepAlive: true })
  const limit = pLimit(concurrency)
  const make = async (method: string, path: string, body?: object) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await httpCall(
      { socketPath: dockerSocket, method, path, headers, agent },
      body && JSON.stringify(body),
    )
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`)
  }
  return {
    call: (method, path, body) =>
      path.endsWith('/wait') ? make(method, path, body) : limit(() => make(method, path, body)),
    [Symbol.dispose]: () => agent.destroy(),
  }
}
