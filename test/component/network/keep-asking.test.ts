import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import { keepAsking } from '../../support/network/requests.ts'

describe('requests that a test sends again and again', () => {
  it('are sent again over a new connection where the one that was kept is closed, as all others may be', async () => {
    const clients = 8
    const used = new WeakSet<Socket>()
    const { promise: all, resolve: release } = Promise.withResolvers<void>()
    let first = 0
    await using server = createServer(async ({ socket }, answer) => {
      // Whatever comes over a connection a second time is cut off, as by a server that ends.
      if (used.has(socket)) return void socket.destroy()
      used.add(socket)
      first += 1
      // All connections are open before the first request comes over one of them again.
      if (first >= clients) release()
      await all
      answer.end('here')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo

    await using asking = keepAsking({ port, host: 'here', path: '/' }, { clients, sendAgain: true })
    await all
    while (asking.so().answered < 5 * clients && asking.so().failed.length === 0)
      await once(server, 'request')

    const { failed, resent, bodies } = await asking.end()
    expect(failed).to.deep.equal([])
    expect([...bodies]).to.deep.equal(['here'])
    expect(resent).to.be.at.least(clients)
  })
})
