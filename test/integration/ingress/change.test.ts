import { expect } from 'chai'
import { ingressName } from '../../../lib/state/application/ingress/route.ts'
import { keepAsking } from '../../support/network/requests.ts'
import { openWebSocket } from '../../support/network/web-socket.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { type Answer, describeEach, type Stand, stand } from './stand.ts'

describeEach('a change of routes', caddy => {
  const first = { service: 'web', host: 'shop.example.com' }
  let at: Stand

  before(async () => {
    at = await stand(caddy, { web: 1, late: 1, nobody: 0 }, [first])
  })

  // There is none where that Caddy cannot be had.
  after(() => at?.[Symbol.asyncDispose]())

  it('P33 has requests answered for new hosts, and no more for old ones', async () => {
    await at.change([first, { service: 'web', host: 'new.example.com' }])
    expect((await at.http('new.example.com/')).status).to.equal(200)
    await at.change([first])
    expect((await at.http('new.example.com/')).status).to.equal(404)
  })

  it('P12 answers 404 before the first and after the last route of a service that runs, and never 503', async () => {
    const late = { service: 'late', host: 'late.example.com', holdMs: 0 }
    await using asking = keepAsking({ port: at.ports.http, host: late.host, path: '/' }, { pauseMs: 20 })
    const statuses = () => new Set(asking.so().failed.filter(words => words.startsWith('status')))
    await waitUntil('nobody answers', () => statuses().has('status 404'))
    await at.change([first, late])
    await waitUntil('it answers', () => asking.so().answered > 100)
    await at.change([first])
    expect([...statuses()]).to.deep.equal(['status 404'])
  })

  it('P12 has requests that wait for an instance answered as the new routes say', async () => {
    const to = (service: string) => [
      { service, host: 'held.example.com', holdMs: 60_000 },
      { service, host: 'limited.example.com', holdMs: 60_000, timeoutMs: 60_000 },
      { service, host: 'secure.example.com', holdMs: 60_000, tls: 'internal' as const },
    ]
    const gone = { service: 'nobody', host: 'gone.example.com', holdMs: 60_000 }
    await at.change([first, ...to('nobody'), gone])
    const authority = await at.ownAuthority()
    const asked = [
      at.http('held.example.com/a%20b?c=d'),
      at.https('secure.example.com/', authority),
      at.http('gone.example.com/'),
      at.http('held.example.com/', { method: 'POST', body: '12345' }),
      at.http('limited.example.com/', { method: 'POST', body: '12345' }),
    ]
    await waitUntil('all of them wait', async () => (await inFlight(at)) === asked.length)
    let answered = 0
    for (const one of asked) one.then(() => (answered += 1))
    // Each one is handed back twice.
    const other = { service: 'web', host: 'other.example.com' }
    await at.change([first, other, ...to('nobody'), gone])
    await waitUntil(
      'all that are not answered wait again',
      async () => (await inFlight(at)) === asked.length - answered,
    )

    await at.change([first, ...to('web')])
    const [held, secure, lost, ...posted] = await Promise.all(asked)
    expect([held, secure, lost].map(answer => answer?.status)).to.deep.equal([200, 200, 404])
    // An older Caddy loses a body where the connection back comes to the configuration that just ends.
    const taken = posted.filter(({ status }) => caddy === 'newer' || status !== 503)
    expect(taken.map(({ status }) => status)).to.deep.equal(taken.map(() => 200))
    const sender = seen(await at.http('shop.example.com/')).headers['x-forwarded-for']
    expect(seen(held).url).to.equal('/a%20b?c=d')
    expect(seen(held).headers).to.include({ 'x-forwarded-for': sender, 'x-forwarded-proto': 'http' })
    expect(seen(secure).headers).to.include({ 'x-forwarded-for': sender, 'x-forwarded-proto': 'https' })
    expect(seen(held).headers).not.to.have.any.keys('tallyman-round', 'expect')
    expect(taken.map(answer => seen(answer).length)).to.deep.equal(taken.map(() => 5))
    if (caddy === 'newer') expect(taken).to.have.length(2)
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

/** How many requests of users Caddy has not answered yet. */
async function inFlight(at: Stand): Promise<number> {
  const metrics = await at.exec(ingressName, 'wget -q -O - http://127.0.0.1:2019/metrics')
  const found = metrics.matchAll(/^caddy_http_requests_in_flight\{.*server="https?".*\} (\d+)$/gm)
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0)
}

type Seen = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly length: number
}

/** What the application saw of a request. */
function seen(answer: Answer | undefined): Seen {
  return JSON.parse(answer?.body ?? '{}')
}
