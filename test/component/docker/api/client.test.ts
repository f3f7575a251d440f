import { getEventListeners } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect } from 'chai'
import { type ClientOptions, openClient } from '../../../../lib/docker/api/client.ts'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { Failure } from '../../../../lib/errors.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { close, listen } from '../../../support/network/listen.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const { signal } = new AbortController()
const read: EngineRequest = { method: 'GET', path: '/containers/json' }
const write: EngineRequest = { method: 'POST', path: '/containers/web/start' }

/** A server that answers like an engine, but for its volumes, of which it says nothing, and the connections to it that are open. */
async function engine(options: ClientOptions = {}) {
  const asked: string[] = []
  const open = new Set<Socket>()
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    const isVersion = path === '/version'
    if (!isVersion) asked.push(`${request.method} ${path}`)
    if (closing.next && !isVersion) {
      closing.next = false
      return void request.socket.destroy()
    }
    if (path.endsWith('/volumes')) return
    response.setHeader('content-type', 'application/json')
    response.end(isVersion ? '{"ApiVersion":"1.44"}' : '[]')
  })
  const closing = { next: false }
  server.on('connection', socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  // It closes none by itself, and does not announce that it would.
  server.keepAliveTimeout = 0
  const client = openClient(
    { name: 'local', endpoint: `tcp://127.0.0.1:${await listen(server)}` },
    async () => undefined,
    options,
  )
  return {
    asked,
    client,
    call: <T>(request: EngineRequest, until = signal) => client.call<T>(request, until),
    connections: () => open.size,
    /** Closes all connections, without a moment in which anybody could notice. */
    closeIdle: () => {
      expect(open.size).to.be.greaterThan(0)
      for (const socket of open) socket.destroy()
    },
    /** Closes the connection of the next call instead of answering it. */
    closeNext: () => {
      closing.next = true
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

describe('a call that cannot be made', () => {
  it('G24 is a defect of whoever makes it, and says nothing about the engine', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'engine-'))
    const socket = join(place.path, 'engine.sock')
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"ApiVersion":"1.44"}')
    }).listen(socket)
    await using _ = { [Symbol.asyncDispose]: () => close(server) }
    const client = openClient({ name: 'local', endpoint: `unix://${socket}` }, async () => undefined)
    await client.call(read, signal)
    const unwritable = client.call({ method: 'GET', path: '/images/web@sha256:x y/json' }, signal)
    expect(await failureOf(unwritable)).to.include({
      code: 'internal',
      message: 'local: Request path contains unescaped characters',
    })
    expect(client.wasAway()).to.equal(false)
    client.close()
  })
})

describe('an engine that goes away', () => {
  const volumes: EngineRequest = { method: 'GET', path: '/volumes', limitMs: 120_000 }

  it('G17 ends what is only read from it and may take long, as soon as another call finds that', async () => {
    await using there = await engine()
    const reading = failureOf(there.call(volumes))
    await waitUntil('it is asked', () => there.asked.length === 1)
    there.closeNext()
    const found = await failureOf(there.call(write))
    expect(found.code).to.equal('engine-unreachable')
    expect(await reading).to.include({ code: 'engine-unreachable', message: found.message })
    expect(await there.call(read)).to.deep.equal({ ok: true, body: [] })
  })

  it('G5 G17 is not why a container ended that was started since, until it goes away again', async () => {
    await using there = await engine()
    const { client } = there
    client.noteStarted('before')
    const lose = async () => {
      there.closeNext()
      expect((await failureOf(there.call(write))).code).to.equal('engine-unreachable')
    }
    await lose()
    client.noteStarted('web')
    expect(['before', 'web', undefined].map(one => client.wasAway(one))).to.deep.equal([true, false, true])
    await lose()
    expect(client.wasAway('web')).to.equal(true)
  })
})

describe('a kept connection to an engine', () => {
  for (const request of [read, write])
    it(`is not used for a ${request.method} once the engine has closed it`, async () => {
      await using there = await engine()
      await there.call(read)
      there.closeIdle()
      expect(await there.call(request)).to.deep.equal({ ok: true, body: [] })
      expect(there.asked).to.have.length(2)
    })

  it('is one of at most two, however many calls were under way at once', async () => {
    await using there = await engine()
    await Promise.all(Array.from({ length: 16 }, () => there.call(read)))
    await waitUntil('the others are closed', () => there.connections() <= 2)
  })

  it('that is closed under a GET has it made again, once', async () => {
    await using there = await engine()
    await there.call(read)
    there.closeNext()
    expect(await there.call(read)).to.deep.equal({ ok: true, body: [] })
    expect(there.asked).to.deep.equal(Array(3).fill('GET /v1.44/containers/json'))
  })

  it('that is closed under a POST fails it, because the engine may have begun with it', async () => {
    await using there = await engine()
    await there.call(read)
    there.closeNext()
    const failure = await there.call(write).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(Failure).with.property('code', 'engine-unreachable')
    expect(there.asked.at(-1)).to.equal('POST /v1.44/containers/web/start')
    expect(there.asked).to.have.length(2)
  })
})

describe('a call of an engine', () => {
  it('G17 goes on with its answer once it is its turn, and not before', async () => {
    const turn = Promise.withResolvers<void>()
    const waiting = Promise.withResolvers<string>()
    const wait = () => {
      waiting.resolve('it waits')
      return turn.promise
    }
    await using there = await engine({ turn: wait })
    const answered = there.call(read).then(({ ok }) => ok)
    expect(await Promise.race([answered, waiting.promise])).to.equal('it waits')
    turn.resolve()
    expect(await answered).to.equal(true)
  })

  /** How many listen to a signal. Whatever does is kept as long as the signal is. */
  const heard = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

  for (const [outcome, closesNext] of [
    ['was answered', false],
    ['failed', true],
  ] as const)
    it(`leaves nothing with the signal of its caller once it ${outcome}`, async () => {
      await using there = await engine()
      const caller = new AbortController()
      await there.call(write, caller.signal)
      if (closesNext) there.closeNext()
      await there.call(write, caller.signal).catch(() => undefined)
      expect(heard(caller.signal)).to.equal(0)
    })

  it('leaves nothing with the signal of its caller once its stream has ended', async () => {
    await using there = await engine()
    const caller = new AbortController()
    const answer = await there.call<Readable>({ ...read, stream: 'watched' }, caller.signal)
    if (!answer.ok) throw new Error(answer.message)
    expect(heard(caller.signal)).to.equal(1)
    await finished(answer.body.resume())
    expect(heard(caller.signal)).to.equal(0)
  })
})
