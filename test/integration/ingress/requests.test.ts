import { once } from 'node:events'
import { request } from 'node:http'
import { expect } from 'chai'
import { openWebSocket } from '../../support/network/web-socket.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { type Asked, describeEach, type Stand, stand } from './stand.ts'
import { staticFiles } from './static-files.ts'

/** What the application saw of a request. */
type Seen = {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly length: number
}

describeEach('requests through the ingress', caddy => {
  let at: Stand

  before(async () => {
    at = await stand(
      caddy,
      { web: 2, api: 1, nobody: 0 },
      [
        { service: 'web', host: 'shop.example.com', hasFiles: true },
        { service: 'api', host: 'shop.example.com', path: '/api', strip: true },
        { service: 'api', host: 'shop.example.com', path: '/api/whole' },
        { service: 'web', host: '*.wild.example.com' },
        { service: 'web', host: 'only.example.com', path: '/only' },
        { service: 'api' },
        { service: 'nobody', host: 'nobody.example.com', holdMs: 0 },
        { service: 'nobody', host: 'held.example.com', holdMs: 1_200 },
        { service: 'web', host: 'old.example.com', redirect: 'https://new.example.com/{env.HOME}/' },
        { service: 'web', host: 'small.example.com', maxBodyBytes: 10 },
        { service: 'web', host: 'quick.example.com', timeoutMs: 300 },
        { service: 'web', host: 'brief.example.com', holdMs: 3_000 },
        {
          service: 'web',
          host: 'headers.example.com',
          headers: {
            request: { 'X-Set': 'by the ingress', 'X-Gone': null },
            response: { 'X-Frame-Options': 'DENY', 'X-Own': null },
          },
        },
      ],
      { trustedProxies: ['192.0.2.0/24'], unavailablePage: '<style>p { margin: 0 } {env.PATH}</style>' },
    )
  })

  // There is none where that Caddy cannot be had.
  after(() => at?.[Symbol.asyncDispose]())

  staticFiles(() => at)

  const seen = async (address: string, asked?: Asked): Promise<Seen> =>
    JSON.parse((await at.http(address, asked)).body)

  it('P33 reach the service of the closest route', async () => {
    const names = async (...addresses: readonly string[]) =>
      Promise.all(addresses.map(async address => (await seen(address)).name))
    expect(
      await names(
        'shop.example.com/',
        'shop.example.com/apis',
        'shop.example.com/api',
        'shop.example.com/api/x',
        'a.wild.example.com/',
        'nothing.of.ours.example.com/',
      ),
    ).to.deep.equal(['web', 'web', 'api', 'api', 'web', 'api'])
  })

  it('P33 reach it however they spell host and path: the one form of a route is what Caddy compares', async () => {
    const urls = async (...addresses: readonly string[]) =>
      Promise.all(
        addresses.map(async address => {
          const { name, url } = await seen(address)
          return `${name} ${url}`
        }),
      )
    expect(
      await urls(
        'shop.example.com/API/x',
        'shop.example.com/%61%50i/x',
        'shop.example.com//api/x',
        'shop.example.com/web/../api/x',
        'SHOP.example.com/api%2Fwhole/x',
        'shop.example.com/api%252Fwhole',
      ),
    ).to.deep.equal(['api /x', 'api /x', 'api /x', 'api /x', 'api /api%2Fwhole/x', 'web /api%252Fwhole'])
  })

  it('P33 go nowhere where their host has routes, and none of them fits', async () => {
    const { status, headers, body } = await at.http('only.example.com/other')
    expect([status, headers['content-type'], body]).to.deep.equal([
      404,
      'text/plain; charset=utf-8',
      'There is nothing at this address.\n',
    ])
  })

  it('P33 keep method, path, query and body', async () => {
    const { method, url, length } = await seen('shop.example.com/a%20b//c?d=%2F&e', {
      method: 'PUT',
      body: '12345',
    })
    expect({ method, url, length }).to.deep.equal({ method: 'PUT', url: '/a%20b//c?d=%2F&e', length: 5 })
  })

  it('P33 lose the path of a route with strip, and only of that one', async () => {
    const urls = ['/api', '/api/x?y', '/api/whole/x'].map(
      async path => (await seen(`shop.example.com${path}`)).url,
    )
    expect(await Promise.all(urls)).to.deep.equal(['/', '/x?y', '/api/whole/x'])
  })

  it('P35 say who asks, by which host and how, whatever the client said; Host stays', async () => {
    const { headers } = await seen('shop.example.com/', {
      headers: {
        'x-forwarded-for': '198.51.100.7',
        'x-forwarded-host': 'evil.example.com',
        'x-forwarded-proto': 'https',
        x_forwarded_for: '198.51.100.7',
        X_Forwarded_Host: 'evil.example.com',
        'x-forwarded_proto': 'https',
        'x-kept': 'as it is',
      },
    })
    expect(Object.keys(headers).filter(name => name.includes('_'))).to.deep.equal([])
    expect(headers['x-kept']).to.equal('as it is')
    expect(headers['host']).to.equal('shop.example.com')
    expect(headers['x-forwarded-host']).to.equal('shop.example.com')
    expect(headers['x-forwarded-proto']).to.equal('http')
    expect(headers['x-forwarded-for'])
      .to.match(/^[0-9.]+$/)
      .and.not.include('198.51.100.7')
  })

  it('P33 are answered with 308 by a redirect, with path and query behind its address', async () => {
    const { status, headers } = await at.http('old.example.com/a%20b?c=d')
    expect([status, headers.location]).to.deep.equal([308, 'https://new.example.com/{env.HOME}/a%20b?c=d'])
  })

  it('P33 are refused with 413 when their body is larger than maxBody', async () => {
    const whole = await at.http('small.example.com/', { method: 'POST', body: '0123456789' })
    const larger = await at.http('small.example.com/', { method: 'POST', body: '0123456789a' })
    expect([whole.status, larger.status]).to.deep.equal([200, 413])
    const options = { host: '127.0.0.1', port: at.ports.http, headers: { host: 'small.example.com' } }
    const sent = request({ ...options, method: 'POST' })
    sent.write('01234')
    sent.end('56789a')
    const [answer] = await once(sent, 'response')
    expect(answer.statusCode, 'of a length that is not told').to.equal(413)
    answer.resume()
  })

  it('P33 carry the headers of their route, in both directions', async () => {
    const { headers } = await seen('headers.example.com/', { headers: { 'x-gone': 'a', 'x-set': 'b' } })
    expect([headers['x-set'], headers['x-gone']]).to.deep.equal(['by the ingress', undefined])
    const answer = await at.http('headers.example.com/status/200')
    expect([answer.headers['x-frame-options'], answer.headers['x-own']]).to.deep.equal(['DENY', undefined])
  })

  it('P33 get the answer of the application as it is, 5xx too', async () => {
    for (const status of [404, 500, 502, 503]) {
      const answer = await at.http(`shop.example.com/status/${status}`)
      expect([
        answer.status,
        answer.body,
        answer.headers['x-own'],
        answer.headers['retry-after'],
      ]).to.deep.equal([status, 'of the application', 'yes', undefined])
    }
  })

  it('P12 are answered with 503, when to come again and a page where there is no instance', async () => {
    const { status, headers, body } = await at.http('nobody.example.com/')
    expect([
      status,
      headers['retry-after'],
      headers['content-type'],
      headers['cache-control'],
      body,
    ]).to.deep.equal([
      503,
      '5',
      'text/html; charset=utf-8',
      'no-store',
      '<style>p { margin: 0 } {env.PATH}</style>',
    ])
  })

  it('P12 are held for as long as their route says before that', async () => {
    const ended: string[] = []
    const ask = async (what: string, address: string, times = 1) => {
      for (let asked = 1; asked < times; asked += 1) await at.http(address)
      ended.push(`${what}: ${(await at.http(address)).status}`)
    }
    // The answer comes in two halves with 400 ms in between.
    const events = 'shop.example.com/events'
    await Promise.all([
      ask('two seconds', events, 5),
      ask('held for 1.2 s', 'held.example.com/'),
      ask('400 ms', events),
      ask('not held', 'nobody.example.com/'),
    ])
    expect(ended).to.deep.equal(['not held: 503', '400 ms: 200', 'held for 1.2 s: 503', 'two seconds: 200'])
  })

  it('G12 end with 504 when the application does not begin to answer in time, which it is asked once', async () => {
    const { status, headers } = await at.http('quick.example.com/slow')
    expect([status, headers['retry-after']]).to.deep.equal([504, undefined])
    expect(await timesSaid('slow', 1)).to.equal(1)
  })

  it('P12 are sent once where an instance broke off, unless it is a GET without a time limit', async () => {
    const post = await at.http('shop.example.com/break', { method: 'POST', body: '12345' })
    expect([post.status, await timesSaid('break', 1)]).to.deep.equal([503, 1])
    const limited = await at.http('quick.example.com/break')
    expect([limited.status, await timesSaid('break', 2)]).to.deep.equal([503, 2])
    const get = await at.http('brief.example.com/break')
    expect(get.status).to.equal(503)
    // Were it not tried again, it would be handed back eight times.
    expect(await timesSaid('break', 2 + 10)).to.be.greaterThan(2 + 9)
  })

  /** How often a line is in the logs of the service, once it is there that often: logs follow what is said. */
  async function timesSaid(word: string, least: number): Promise<number> {
    const { containers } = await at.site.engine.observe(at.site.provenance, at.site.signal)
    const own = containers.filter(({ service }) => service === 'web')
    let times = 0
    await waitUntil(`"${word}" is said ${least} times`, async () => {
      const logs = await Promise.all(own.map(one => at.site.log(one.engineName)))
      times = logs.join('').split(word).length - 1
      return times >= least
    })
    return times
  }

  it('P33 pass a WebSocket in both directions', async () => {
    await using socket = await openWebSocket(at.ports.http, 'shop.example.com')
    await waitUntil('words come back', () => socket.echoes() > 1)
  })

  it('P33 get server-sent events one by one, as they are sent', async () => {
    const sent = request({
      host: '127.0.0.1',
      port: at.ports.http,
      path: '/events',
      headers: { host: 'shop.example.com' },
    })
    sent.end()
    const [answer] = await once(sent, 'response')
    const parts: string[] = []
    for await (const part of answer) parts.push(String(part))
    expect(parts).to.deep.equal(['data: one\n\n', 'data: two\n\n'])
  })
})
