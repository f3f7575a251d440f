import { once } from 'node:events'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'

/** A connection over which one word goes there and back after the other, until it is closed. */
export type WebSocket = AsyncDisposable & {
  /** Resolves when the other side has closed it. */
  readonly closed: Promise<unknown>
  /** How many words came back. */
  echoes(): number
}

/** Throws unless the application speaks WebSocket; it has to send back what it is told. */
export async function openWebSocket(port: number, host: string): Promise<WebSocket> {
  const lines = ['GET / HTTP/1.1', `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket']
  const key = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13']
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  const closed = once(socket, 'close')
  socket.on('error', () => undefined).write(`${[...lines, ...key].join('\r\n')}\r\n\r\n`)
  const [status, end] = ['HTTP/1.1 101 ', '\r\n\r\n']
  let head = await nextBytes(socket, status.length)
  if (head !== status) throw new Error(`no WebSocket: ${head}`)
  while (!head.endsWith(end)) head += await nextBytes(socket, 1)
  let count = 0
  socket.on('data', () => {
    count += 1
    setTimeout(() => socket.write('word'), 50)
  })
  socket.write('word')
  return {
    closed,
    echoes: () => count,
    async [Symbol.asyncDispose]() {
      socket.destroy()
    },
  }
}

/** Returns the next bytes as text, however the connection divides them; throws when it is over before. */
export async function nextBytes(from: Readable, count: number): Promise<string> {
  for (;;) {
    const bytes = from.read(count)
    if (bytes?.length === count) return String(bytes)
    if (bytes !== null || from.readableEnded)
      throw new Error(`it is over after ${bytes?.length ?? 0} of ${count} bytes`)
    await Promise.race([once(from, 'readable'), once(from, 'end')])
  }
}
