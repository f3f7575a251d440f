import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { recordFile } from '../../../lib/metadata/place.ts'
import type { PodRecord } from '../../../lib/metadata/record.ts'
import { peerLimits } from '../../../lib/metadata-server/peers.ts'
import { createRecords, type FindRecord } from '../../../lib/metadata-server/records.ts'
import { createMetadataServer, requestLimits } from '../../../lib/metadata-server/server.ts'
import { httpCall } from '../../support/network/http-call.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const uuid = '0f5c8a4e-38a1-4d54-9b0e-7d1a1f0c9e55'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const record: PodRecord = { uuid, manifest: {}, annotations: [], apps: {} }

/** A service that knows one pod, by the token `mine`. */
async function service() {
  await using stack = new AsyncDisposableStack()
  const directory = stack.adopt(await mkdtemp(join(tmpdir(), 'metadata-')), path =>
    rm(path, { recursive: true }),
  )
  const put = async (token: string, content: string) => {
    const path = join(directory, recordFile(token))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  await put('mine', JSON.stringify(record))
  const notes: string[] = []
  const server: Server = createMetadataServer({
    find: createRecords(directory),
    key: Buffer.alloc(64, 1),
    note: words => notes.push(words),
  })
  stack.defer(() => void server.close())
  stack.defer(() => server.closeAllConnections())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const parts = stack.move()
  return {
    port,
    put,
    notes,
    ask: (path: string, method = 'GET', headers: Record<string, string> = {}, body?: string | Buffer) =>
      httpCall({ hostname: '127.0.0.1', port, path, method, headers, agent: false }, body),
    raw: (localAddress = '127.0.0.1') => connect({ host: '127.0.0.1', port, localAddress }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** A service that finds what it tells in this way. */
async function serving(find: FindRecord) {
  const server = createMetadataServer({ find, key: Buffer.alloc(64, 1), note: () => undefined })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    raw: (localAddress: string) => connect({ host: '127.0.0.1', port, localAddress }),
    connections: () => promisify(server.getConnections.bind(server))(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Service = Awaited<ReturnType<typeof service>>

const whole = (socket: Socket) => text(socket).catch(() => 'cut off')

const isWell = async ({ ask }: Service) => (await ask('/mine/acMetadata/v1/pod/uuid')).status === 200

describe('the server of the metadata service', () => {
  it('C53 answers with status, type and body, and no body to HEAD', async () => {
    await using there = await service()
    const { status, headers, body } = await there.ask('/mine/acMetadata/v1/pod/uuid')
    expect([status, headers['content-type'], String(body)]).to.deep.equal([
      200,
      'text/plain; charset=us-ascii',
      uuid,
    ])
    const head = await there.ask('/mine/acMetadata/v1/pod/uuid', 'HEAD')
    expect([head.status, head.headers['content-length'], String(head.body)]).to.deep.equal([200, '36', ''])
  })

  it('C54 signs a form, and takes back what it signed', async () => {
    await using there = await service()
    const signed = await there.ask('/mine/acMetadata/v1/pod/hmac/sign', 'POST', form, 'content=hello')
    const fields = new URLSearchParams({ content: 'hello', uuid, signature: String(signed.body) })
    const verified = await there.ask('/mine/acMetadata/v1/pod/hmac/verify', 'POST', form, String(fields))
    expect([signed.status, verified.status]).to.deep.equal([200, 200])
  })

  it('C53 knows no pod by the name of a file, and none that is gone', async () => {
    await using there = await service()
    await there.put('gone', '')
    const tokens = ['gone', '', '..', '%2e%2e', '../key', recordFile('mine'), uuid, 'MINE', `mine%00`]
    const statuses = await Promise.all(
      tokens.map(async token => (await there.ask(`/${token}/acMetadata/v1/pod/uuid`)).status),
    )
    expect(statuses).to.deep.equal(tokens.map(() => 401))
  })

  it('answers 503 for a pod whose data cannot be read, and says so once without the token', async () => {
    await using there = await service()
    await there.put('half', '{"uuid":')
    expect((await there.ask('/half/acMetadata/v1/pod/uuid')).status).to.equal(503)
    expect(there.notes).to.have.length(1)
    expect(there.notes.join()).not.to.include('half')
    expect(await isWell(there)).to.equal(true)
  })

  it('C53 refuses a form that is too large, whether it says so or not, and reads none of a stranger', async () => {
    await using there = await service()
    const large = `content=${'a'.repeat(requestLimits.bodyBytes)}`
    const sign = '/mine/acMetadata/v1/pod/hmac/sign'
    expect((await there.ask(sign, 'POST', form, large)).status).to.equal(413)
    const socket = there.raw()
    const head = `POST ${sign} HTTP/1.1\r\nhost: x\r\ncontent-type: ${form['content-type']}\r\nconnection: close`
    socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n`)
    socket.write(`${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`)
    expect(await whole(socket), 'in chunks').to.match(/^HTTP\/1.1 413 /)
    expect((await there.ask(sign.replace('mine', 'other'), 'POST', form, large)).status).to.equal(401)
    const most = large.slice(0, requestLimits.bodyBytes)
    expect((await there.ask(sign, 'POST', form, most)).status).to.equal(200)
  })

  it('C53 answers at once what it can answer without the body, and reads on after that', async () => {
    await using there = await service()
    const sign = '/acMetadata/v1/pod/hmac/sign'
    const begun = async (path: string) => {
      const socket = there.raw()
      const length = requestLimits.bodyBytes * 2
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${form['content-type']}`
      socket.write(`${head}\r\ncontent-length: ${length}\r\n\r\n`)
      const [first] = (await once(socket, 'data')) as [Buffer]
      const rest = new Promise<void>(resolve => socket.write(Buffer.alloc(length, 'a'), () => resolve()))
      await rest
      socket.write('GET /mine/acMetadata/v1/pod/uuid HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
      return [String(first).split(' ', 2)[1], (await whole(socket)).endsWith(uuid)]
    }
    expect(await begun(`/mine${sign}`)).to.deep.equal(['413', true])
    expect(await begun(`/other${sign}`)).to.deep.equal(['401', true])
    expect(await begun('/mine/nothing')).to.deep.equal(['404', true])
  })

  it('C53 knows a pod by an address in the absolute form, too', async () => {
    await using there = await service()
    expect((await there.ask('http://x/mine/acMetadata/v1/pod/uuid')).status).to.equal(200)
    expect((await there.ask('http://x/other/acMetadata/v1/pod/uuid')).status).to.equal(401)
  })

  it('C53 refuses headers that are too large, and what is no HTTP, and goes on', async () => {
    await using there = await service()
    const say = async (words: string) => {
      const socket = there.raw()
      socket.write(words)
      return (await whole(socket)).split('\r\n', 1)[0]
    }
    const long = 'a'.repeat(requestLimits.headerBytes)
    expect(await say(`GET /mine HTTP/1.1\r\nhost: x\r\nx-long: ${long}\r\n\r\n`)).to.equal(
      'HTTP/1.1 431 Request Header Fields Too Large',
    )
    expect(await say(`GET /${long} HTTP/1.1\r\nhost: x\r\n\r\n`)).to.match(/431/)
    expect(await say('\u0000\u0001\u0002 nonsense\r\n\r\n')).to.equal('HTTP/1.1 400 Bad Request')
    const both = 'POST /mine/acMetadata/v1/pod/hmac/sign HTTP/1.1\r\nhost: x\r\n'
    expect(await say(`${both}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)).to.match(
      /400/,
    )
    expect(await isWell(there)).to.equal(true)
  })

  it('C53 lets one address have so many connections, and takes new ones once others end', async () => {
    await using there = await service()
    const sockets = Array.from({ length: peerLimits.connections }, () => there.raw())
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('connect', resolve))))
    const one = there.raw()
    one.write('GET /mine/acMetadata/v1/pod/uuid HTTP/1.0\r\n\r\n')
    expect(await whole(one)).not.to.include(uuid)
    await Promise.all(
      sockets.map(socket => {
        const closed = new Promise(resolve => socket.once('close', resolve))
        socket.destroy()
        return closed
      }),
    )
    let answered = false
    while (!answered) answered = await isWell(there).catch(() => false)
    expect(answered).to.equal(true)
  })

  const occupants = {
    'one address': { from: ['127.0.0.1'], rest: 20_000 },
    'all addresses': { from: [2, 3, 4, 5, 6, 7, 8, 9].map(last => `127.0.0.${last}`), rest: 100_000 },
  }
  for (const [whose, { from, rest }] of Object.entries(occupants))
    it(`C53 bounds what the bodies of ${whose} occupy together, and gives it back`, async () => {
      await using there = await service()
      const almost = requestLimits.bodyBytes - 1_000
      const holders = from.flatMap(address =>
        Array.from({ length: 8 }, () => {
          const socket = there.raw(address)
          socket.write(
            `POST /mine/acMetadata/v1/pod/hmac/sign HTTP/1.1\r\nhost: x\r\ncontent-type: ${form['content-type']}\r\ncontent-length: ${almost + 1}\r\n\r\ncontent=${'a'.repeat(almost - 8)}`,
          )
          return socket
        }),
      )
      const small = `content=${'b'.repeat(rest)}`
      const sign = '/mine/acMetadata/v1/pod/hmac/sign'
      let status = 200
      while (status === 200) status = (await there.ask(sign, 'POST', form, small)).status
      expect(status, 'while others occupy it').to.equal(503)
      expect(await isWell(there), 'other questions are answered').to.equal(true)
      for (const socket of holders) socket.destroy()
      while (status === 503) status = (await there.ask(sign, 'POST', form, small)).status
      expect(status).to.equal(200)
    })

  it('C53 G24 looks for no more answers than one connection may wait for, and ends it if more are asked for', async () => {
    let looks = 0
    await using there = await serving(async () => {
      looks += 1
      return record
    })
    const greedy = there.raw('127.0.0.2')
    greedy.pause()
    const closed = new Promise(resolve => greedy.once('close', resolve))
    greedy.on('error', () => undefined)
    greedy.write(`GET /mine/acMetadata/v1/pod/manifest HTTP/1.1\r\nHost: here\r\n\r\n`.repeat(2_000))
    greedy.resume()
    await closed
    expect(looks).to.be.at.most(requestLimits.waiting)
  })

  it('C53 answers what one connection asks in one go, in its order', async () => {
    await using there = await service()
    const socket = there.raw()
    const paths = ['uuid', 'manifest', 'nothing']
    for (const path of paths)
      socket.write(
        `GET /mine/acMetadata/v1/pod/${path} HTTP/1.1\r\nHost: here\r\nConnection: ${path === 'nothing' ? 'close' : 'keep-alive'}\r\n\r\n`,
      )
    const answers = await whole(socket)
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).to.deep.equal([
      '200',
      '200',
      '404',
    ])
  })

  it('C53 G24 keeps no more for one address than it may have of answers that nobody takes', async () => {
    const large = { ...record, manifest: { text: 'x'.repeat(peerLimits.bytes - 1_000) } }
    await using there = await serving(async () => large)
    const ask = (localAddress: string) => {
      const socket = there.raw(localAddress)
      socket.write(`GET /mine/acMetadata/v1/pod/manifest HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`)
      return socket
    }
    const deaf = ask('127.0.0.2')
    await once(deaf, 'readable')
    expect((await whole(ask('127.0.0.2'))).split('\r\n', 1)).to.deep.equal([
      'HTTP/1.1 503 Service Unavailable',
    ])
    expect((await whole(ask('127.0.0.3'))).split('\r\n', 1)).to.deep.equal(['HTTP/1.1 200 OK'])
  })

  it('C53 G24 keeps nothing of answers to connections that ended while they were looked for', async () => {
    const large = { ...record, manifest: { text: 'x'.repeat(peerLimits.bytes - 1_000) } }
    const { promise: haveGone, resolve: go } = Promise.withResolvers<void>()
    let asked = 0
    await using there = await serving(async () => {
      asked += 1
      await haveGone
      return large
    })
    const ask = (localAddress: string) => {
      const socket = there.raw(localAddress)
      socket.write(`GET /mine/acMetadata/v1/pod/manifest HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`)
      return socket
    }
    // All together would have more than all addresses may.
    const addresses = Array.from({ length: 9 }, (_, index) => `127.0.0.${index + 2}`)
    const sockets = addresses.map(ask)
    await waitUntil('all are looked for', async () => asked === sockets.length)
    for (const socket of sockets) socket.resetAndDestroy()
    await waitUntil('all connections have ended', async () => (await there.connections()) === 0)
    go()
    expect((await whole(ask('127.0.0.2'))).split('\r\n', 1)).to.deep.equal(['HTTP/1.1 200 OK'])
  })

  it('C53 answers 10,000 requests that come at once', async () => {
    await using there = await service()
    const agent = new Agent({ keepAlive: true, maxSockets: 200 })
    const call = { hostname: '127.0.0.1', port: there.port, path: '/mine/acMetadata/v1/pod/uuid', agent }
    const answers = await Promise.all(
      Array.from({ length: 10_000 }, async () => (await httpCall({ ...call, method: 'GET' })).status),
    )
    agent.destroy()
    expect(new Set(answers)).to.deep.equal(new Set([200]))
  })
})
