import { PassThrough } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { type EventMessage, eachEvent } from '../../../../lib/docker/api/events.ts'
import { optional } from '../../../../lib/object.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { clientWith } from '../answering.ts'

const minuteMs = 60_000

describe('the stream of events of an engine', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('G18 is opened anew after five to ten minutes over which nothing came, whatever else the engine answers', async () => {
    await using listening = await listen()
    await listening.wait(5 * minuteMs - 1)
    expect(listening.streams).to.have.length(1)
    await listening.wait(5 * minuteMs)
    expect(listening.streams.map(({ destroyed }) => destroyed)).to.deep.equal([true, false])
  })

  it('G18 stays open for as long as something comes', async () => {
    await using listening = await listen()
    for (let minutes = 0; minutes < 60; minutes += 4) {
      await listening.happen(minutes)
      await listening.wait(4 * minuteMs)
    }
    expect(listening.streams).to.have.length(1)
  })

  it('G18 goes on where it was heard last, by the clock of the engine', async () => {
    await using listening = await listen()
    await listening.wait(10 * minuteMs)
    await listening.happen(1_700_000_123_456_789_000)
    await listening.wait(10 * minuteMs)
    await listening.wait(10 * minuteMs)
    expect(listening.since()).to.deep.equal([
      undefined,
      '1700000000.000000000',
      '1700000123.456788992',
      '1700000123.456788992',
    ])
  })

  it('G18 tells nothing twice, and what no stream has told before', async () => {
    await using listening = await listen()
    await listening.happen(1_700_000_123_456_789_000)
    await listening.wait(10 * minuteMs)
    await listening.happen(1_700_000_123_456_789_000, 1_700_000_123_456_790_000)
    expect(listening.heard).to.deep.equal([1_700_000_123_456_789_000, 1_700_000_123_456_790_000])
  })

  it('G17 hears the events of an engine whose clock was set back', async () => {
    await using listening = await listen()
    await listening.happen(2_000, 1_000, 2_000)
    expect(listening.heard).to.deep.equal([2_000, 1_000, 2_000])
  })

  it('G18 says only once that it listens: nothing was missed when it is opened anew', async () => {
    await using listening = await listen()
    await listening.wait(10 * minuteMs)
    await listening.wait(10 * minuteMs)
    expect([listening.streams.length, listening.begun()]).to.deep.equal([3, 1])
  })

  it('G18 says again that it listens where neither the engine nor an event tells the time', async () => {
    await using listening = await listen({ toldMs: undefined })
    await listening.wait(10 * minuteMs)
    expect([listening.since(), listening.begun()]).to.deep.equal([[undefined, undefined], 2])
  })

  it('G18 fails if the engine ends it', async () => {
    await using listening = await listen()
    const failing = failureOf(listening.ended)
    listening.streams[0]?.end()
    expect((await failing).code).to.equal('engine-unreachable')
  })

  it('G18 fails if the engine refuses to open it anew', async () => {
    await using listening = await listen()
    const failing = failureOf(listening.ended)
    listening.refuse()
    await listening.wait(10 * minuteMs)
    expect((await failing).code).to.equal('engine-refused')
  })

  it('G17 is not opened anew at one moment on all of many sites', async () => {
    await using sites = new AsyncDisposableStack()
    const all = await Promise.all(Array.from({ length: 200 }, async () => sites.use(await listen())))
    await all[0]?.wait(7.5 * minuteMs)
    expect(all.filter(({ streams }) => streams.length > 1).length).to.be.within(40, 160)
  })
})

const beganMs = 1_700_000_000_000

/** The streams of an engine that is listened to, the last of which is heard. `toldMs`: when it says that each began. */
async function listen({ toldMs }: { readonly toldMs: number | undefined } = { toldMs: beganMs }) {
  const stopping = new AbortController()
  const streams: PassThrough[] = []
  const requests: EngineRequest[] = []
  const heard: number[] = []
  let [begun, refuses] = [0, false]
  const client = clientWith(async <T>(request: EngineRequest) => {
    requests.push(request)
    if (refuses) return { ok: false, status: 500, message: 'no' } as const
    const stream = new PassThrough()
    streams.push(stream)
    return { ok: true, body: stream as T, ...optional('atMs', toldMs) } as const
  })
  const onEvent = ({ timeNano }: EventMessage) => void heard.push(timeNano)
  const onListening = () => {
    begun += 1
  }
  const ended = eachEvent({ client, filters: {}, onEvent, onListening, signal: stopping.signal })
  await turn()
  return {
    streams,
    heard,
    ended,
    begun: () => begun,
    since: () => requests.map(({ query }) => query?.['since']),
    refuse: () => {
      refuses = true
    },
    /** Tells of events of these times. */
    async happen(...times: readonly number[]) {
      for (const timeNano of times) streams.at(-1)?.write(`${JSON.stringify({ timeNano })}\n`)
      await turn()
    },
    async wait(ms: number) {
      mock.timers.tick(ms)
      await turn()
      await turn()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await ended.catch(() => undefined)
    },
  }
}
