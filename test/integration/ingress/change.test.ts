import { expect } from 'chai'
import { waitUntil } from '../../support/wait-until.ts'
import { openWebSocket } from '../../support/web-socket.ts'
import { describeEach, type Stand, stand } from './stand.ts'

describeEach('a change of routes', caddy => {
  const first = { service: 'web', host: 'shop.example.com' }
  let at: Stand

  before(async () => {
    at = await stand(caddy, { web: 1 }, [first])
  })

  after(() => at[Symbol.asyncDispose]())

  it('P33 has requests answered for new hosts, and no more for old ones', async () => {
    await at.change([first, { service: 'web', host: 'new.example.com' }])
    expect((await at.http('new.example.com/')).status).to.equal(200)
    await at.change([first])
    expect((await at.http('new.example.com/')).status).to.equal(404)
  })

  const becomes = { newer: 'leaves open', older: 'closes' }[caddy]
  it(`P12 ${becomes} the WebSockets of other routes`, async () => {
    await using socket = await openWebSocket(at.ports.http, 'shop.example.com')
    await at.change([first, { service: 'web', host: 'other.example.com' }])
    expect((await at.http('other.example.com/')).status).to.equal(200)
    if (caddy === 'older') return void (await socket.closed)
    const before = socket.echoes()
    await waitUntil('words still come back', () => socket.echoes() > before + 5)
  })
})
