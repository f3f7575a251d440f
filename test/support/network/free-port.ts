import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import { close, listen } from './listen.ts'

/**
 * A port of this machine that nobody listens on, below those that clients are given: one that asks where nobody listens
 * could come to talk to itself there.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer()
    const port = await listen(server, randomInt(20_000, 32_000)).catch(() => undefined)
    await close(server)
    if (port !== undefined) return port
  }
}
