import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { createConnections } from '../../../lib/daemon/connections.ts'
import { openClient } from '../../../lib/docker/api/client.ts'
import { close, listen } from '../../support/network/listen.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const { signal } = new AbortController()
const fixtures = join(import.meta.dirname, '../../../fixtures/tls')
const fixture = (name: string) => join(fixtures, name)

/** Engines by TCP, which one process calls with so many open files for connections. */
async function engines(files: { most: number; waiting?: number }, kind: 'http' | 'https' = 'http') {
  const stack = new AsyncDisposableStack()
  const connections = createConnections(
    () => files.most,
    () => files.waiting ?? 1_000,
  )
  const open = new Set<Socket>()
  const answers: (() => void)[] = []
  let [most, isHeld] = [0, false]
  const listener: RequestListener = ({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url?.startsWith('/version')) return void response.end('{"ApiVersion":"1.44"}')
    answers.push(() => response.end('[]'))
    most = Math.max(most, answers.length)
    if (!isHeld) for (const answer of answers.splice(0)) answer()
  }
  const clients = await Promise.all(
    ['east', 'west', 'north'].map(async name => {
      const server = kind === 'http' ? createServer(listener) : tlsServer(listener)
      server.on(kind === 'http' ? 'connection' : 'secureConnection', (socket: Socket) => {
        open.add(socket)
        socket.on('close', () => open.delete(socket))
      })
      // It closes none by itself, and does not announce that it would.
      server.keepAliveTimeout = 0
      const endpoint = `tcp://127.0.0.1:${await listen(server)}`
      stack.defer(() => close(server))
      const site = { name, endpoint, ...(kind === 'http' ? {} : { tls: clientFiles }) }
      return openClient(site, async () => undefined, { connections })
    }),
  )
  return {
    /** Calls all of them at once, each so often, and returns whether all answered. */
    async call(times: number) {
      const calls = clients.flatMap(client =>
        Array.from({ length: times }, () => client.call({ method: 'GET', path: '/containers/json' }, signal)),
      )
      return (await Promise.all(calls)).every(({ ok }) => ok)
    },
    hold: () => {
      isHeld = true
    },
    answer: () => {
      isHeld = false
      for (const answer of answers.splice(0)) answer()
    },
    /** How many calls wait for their answer, and the most that did. */
    underWay: () => answers.length,
    most: () => most,
    open: () => open.size,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const clientFiles = {
  ca: fixture('first-ca.pem'),
  cert: fixture('first-client.pem'),
  key: fixture('first-client.key'),
}

function tlsServer(listener: RequestListener): Server {
  const [cert, key] = ['first-engine.pem', 'first-engine.key'].map(name => readFileSync(fixture(name)))
  return createTlsServer({ cert, key }, listener)
}

for (const kind of ['http', 'https'] as const)
  describe(`the connections to all engines by ${kind}`, () => {
    it('G17 wait for the next call, two for each site, where there are files enough', async () => {
      await using there = await engines({ most: 1_000 }, kind)
      expect(await there.call(16)).to.equal(true)
      await waitUntil('two of each are left', () => there.open() === 6)
      expect(await there.call(2)).to.equal(true)
      expect(there.open()).to.equal(6)
    })

    it('G17 are closed where more wait than may', async () => {
      await using there = await engines({ most: 1_000, waiting: 4 }, kind)
      expect(await there.call(16)).to.equal(true)
      await waitUntil('four are left', () => there.open() === 4)
    })

    it('G17 are as many as there are files, and all calls are answered', async () => {
      await using there = await engines({ most: 4 }, kind)
      expect(await there.call(16)).to.equal(true)
      await waitUntil('four are left at most', () => there.open() <= 4)
      expect(there.open()).to.be.greaterThan(0)
    })

    it('G17 do not wait where a call needs their file: it closes what is too many', async () => {
      const files = { most: 1_000 }
      await using there = await engines(files, kind)
      await there.call(16)
      await waitUntil('two of each are left', () => there.open() === 6)
      files.most = 4
      there.hold()
      const called = there.call(1)
      await waitUntil('three calls are under way', () => there.underWay() === 3)
      await waitUntil('one more is left', () => there.open() <= 4)
      there.answer()
      expect(await called).to.equal(true)
    })
  })

describe('the calls of all engines', () => {
  it('G17 wait for one another where there are few files, and a site has its turn', async () => {
    await using there = await engines({ most: 4 })
    there.hold()
    const called = there.call(4)
    await waitUntil('the first three are under way', () => there.underWay() === 3)
    there.answer()
    expect(await called).to.equal(true)
    expect(there.most(), 'one place of four is for slow sites').to.equal(3)
  })
})
