import { once } from 'node:events'
import { connect } from 'node:net'

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
  const [head] = await once(socket, 'data')
  if (!/^HTTP\/1\.1 101 /.test(head)) throw new Error(`no WebSocket: ${head}`)
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
