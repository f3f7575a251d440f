import type { ImageOptions } from './images.ts'

/**
 * A web application on port 8000 that answers with the word in `VERSION`.
 * - `?ms=200` is how long an answer takes; `?upTo=200` at most, each one another time.
 * - It is ready `READY_AFTER_MS` after its start, and answers 500 to whoever asks before, but for `/ready`.
 * - Told to stop it ends at once; with `ON_TERM=drain` once it has answered what it was asked.
 * - `/headers` is what it was sent, as JSON. A WebSocket gets back what it says.
 */
export const webApp = `
import { createServer } from 'node:http'

const { VERSION, READY_AFTER_MS = '0', ON_TERM } = process.env
const readyMs = performance.now() + Number(READY_AFTER_MS)
const isReady = () => performance.now() >= readyMs

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://app')
  if (pathname === '/ready') return response.writeHead(isReady() ? 200 : 503).end()
  if (pathname === '/headers') return response.end(JSON.stringify(request.headers))
  if (!isReady()) return response.writeHead(500).end('asked before it was ready')
  const ms = Number(searchParams.get('ms') ?? Math.random() * Number(searchParams.get('upTo') ?? 0))
  setTimeout(() => response.end(VERSION), ms)
})
server.on('upgrade', (request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n')
  socket.on('error', () => undefined).pipe(socket)
})
server.listen(8000)
process.on('SIGTERM', () => (ON_TERM === 'drain' ? server.close(() => process.exit(0)) : process.exit(0)))
`

/** The same without Node.js, where it is asked for `/`, `/more` or `/ready` only. Told to stop, it ends a second later. */
export const smallWebApp: ImageOptions = {
  cmd: [
    'sh',
    '-c',
    `mkdir /www; for name in index.html more ready; do printf %s "$VERSION" > /www/$name; done
trap 'kill $!; sleep 1; exit 0' TERM
httpd -f -p 8000 -h /www & wait $!`,
  ],
}
