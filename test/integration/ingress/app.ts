/**
 * An application that says what it is asked: what it got as JSON, `/status/500` that status, `/events` two events with
 * 400 ms between them, `/break` no answer and the word `break` in its log, `/slow` an answer that begins after two seconds, and the word `slow` in its log; and it sends back what a WebSocket says. It
 * fills `/static` before it listens.
 */
export const source = `
import { mkdirSync, writeFileSync, symlinkSync, chmodSync, rmSync } from 'node:fs'
import { gzipSync, brotliCompressSync } from 'node:zlib'
import { createServer } from 'node:http'

const script = 'console.log("' + 'x'.repeat(500) + '")\\n'
mkdirSync('/static/deep/.hidden', { recursive: true })
writeFileSync('/static/app.js', script)
writeFileSync('/static/app.js.gz', gzipSync(script))
writeFileSync('/static/app.js.br', brotliCompressSync(script))
writeFileSync('/static/font.woff2', 'wOF2....')
writeFileSync('/static/index.html', 'an index')
writeFileSync('/static/deep/a file.txt', 'deep')
writeFileSync('/static/closed.txt', 'closed to all others')
chmodSync('/static/closed.txt', 0o600)
const links = {
  passwd: '/etc/passwd',
  hosts: '/etc/hosts',
  environ: '/proc/self/environ',
  climbs: '../../../../../etc/passwd',
  caddy: '/caddy.json',
  above: '..',
  inside: '/static/deep/a file.txt',
}
for (const [name, target] of Object.entries(links)) {
  rmSync('/static/' + name, { force: true })
  symlinkSync(target, '/static/' + name)
}

createServer((request, response) => {
  const { method, url, headers } = request
  if (url.startsWith('/status/')) return response.writeHead(Number(url.slice(8)), { 'x-own': 'yes' }).end('of the application')
  if (url === '/break') return console.log('break'), request.socket.destroy()
  if (url === '/slow') return console.log('slow'), setTimeout(() => response.end('late'), 2000)
  if (url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: one\\n\\n')
    return setTimeout(() => response.end('data: two\\n\\n'), 400)
  }
  let length = 0
  request.on('error', () => undefined)
  request.on('data', part => { length += part.length })
  request.on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify({ name: process.env.NAME, method, url, headers, length })))
})
  .on('upgrade', (request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n')
    socket.on('error', () => undefined).pipe(socket)
  })
  .listen(8000)
process.on('SIGTERM', () => process.exit(0))
`
