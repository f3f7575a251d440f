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

/**
 * Returns the next bytes as text, however the connection divides them; throws when it is over before. What is there is
 * taken at once: a stream says again and again that something is there, before it reads what is still missing.
 */
export async function nextBytes(from: Readable, count: number): Promise<string> {
  let text = ''
  while (text.length < count) {
    const there = Math.min(count - text.length, from.readableLength)
    const piece = there > 0 ? from.read(there) : from.read()
    if (piece !== null) text += String(piece)
    else if (from.readableEnded || from.destroyed)
      throw new Error(`it is over after ${text.length} of ${count} bytes`)
    else await somethingNew(from)
  }
  return text
}

async function somethingNew(from: Readable): Promise<void> {
  const enough = new AbortController()
  const { signal } = enough
  const all = (['readable', 'end', 'close'] as const).map(name => once(from, name, { signal }))
  await Promise.race(all).finally(() => {
    for (const one of all) one.catch(() => undefined)
    enough.abort()
  })
}
