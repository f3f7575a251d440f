import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Engine } from '../../../../../lib/engine.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { watchEngine } from '../../../../../lib/reconcile/loop/site/watch-engine.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { silent } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'

describe('listening to an engine', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('G18 says look again once it listens, and not before: what happened until then may have been missed', async () => {
    await using listening = listen({ listens: false })
    expect(listening.looks()).to.equal(0)
    listening.open()
    expect(listening.looks()).to.equal(1)
  })

  it('G18 asks for no look while it cannot listen', async () => {
    await using listening = listen({ listens: false })
    for (let lost = 1; lost <= 3; lost += 1) {
      listening.lose()
      await listening.wait(10_000)
      expect([listening.tries(), listening.looks()]).to.deep.equal([lost + 1, 0])
    }
  })

  it('G18 listens anew within a second, however often a connection that lasted has been lost', async () => {
    await using listening = listen()
    for (let lost = 1; lost <= 7; lost += 1) {
      await listening.wait(10_000)
      listening.lose()
      await listening.wait(1_000)
      expect([listening.tries(), listening.looks()]).to.deep.equal([lost + 1, lost + 1])
    }
  })

  it('G17 pauses longer and longer where an engine drops each connection at once', async () => {
    await using listening = listen()
    for (let second = 0; second < 300; second += 1) {
      listening.lose()
      await listening.wait(1_000)
    }
    expect(listening.tries()).to.be.within(10, 20)
  })

  it('G18 asks an engine that says nothing for a minute whether it is there, and listens anew where it is not', async () => {
    await using listening = listen()
    expect([listening.looks(), listening.asked()]).to.deep.equal([1, 0])
    await listening.wait(60_000)
    expect([listening.looks(), listening.asked()]).to.deep.equal([1, 1])
    listening.hang()
    await listening.wait(60_000)
    expect([listening.looks(), listening.asked()]).to.deep.equal([1, 2])
    await listening.wait(1_000)
    expect([listening.looks(), listening.asked()], 'it listens anew').to.deep.equal([2, 2])
  })

  it('G18 asks nothing of an engine that has something to say', async () => {
    await using listening = listen()
    await listening.wait(30_000)
    listening.happen()
    await listening.wait(30_000)
    expect([listening.looks(), listening.asked()]).to.deep.equal([2, 0])
    await listening.wait(60_000)
    expect([listening.looks(), listening.asked()]).to.deep.equal([2, 1])
  })

  it('G18 asks nothing of an engine that has answered something else meanwhile', async () => {
    await using listening = listen({ answers: true })
    await listening.wait(60_000)
    expect(listening.asked()).to.equal(0)
  })
})

/** An engine that is listened to; it answers until it hangs, and says nothing until something happens. */
function listen({ listens = true, answers = false } = {}) {
  const stopping = new AbortController()
  let [looks, tries, asked, isThere] = [0, 0, 0, true]
  let stream = { open: () => {}, happen: () => {}, lose: () => {} }
  const memory = memoryEngine()
  const engine: Engine = {
    ...memory,
    answeredWithin: () => answers,
    async info(signal) {
      asked += 1
      if (!isThere) throw new Error('it does not answer in time')
      return memory.info(signal)
    },
    watch(_, onEvent, signal, onListening = () => undefined) {
      tries += 1
      if (listens) onListening()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => resolve(), { once: true })
      stream = {
        open: onListening,
        happen: () => onEvent({ site: 'local', container: 'web.1', action: 'die', atMs: 0 }),
        lose: () => reject(new Failure('engine-unreachable', 'local: the connection is lost')),
      }
      return promise
    },
  }
  const look = () => {
    looks += 1
  }
  const ended = watchEngine(engine, identity('prod'), look, silent, stopping.signal)
  return {
    looks: () => looks,
    tries: () => tries,
    asked: () => asked,
    hang: () => {
      isThere = false
    },
    /** From now on whatever happens is told. */
    open: () => stream.open(),
    happen: () => stream.happen(),
    lose: () => stream.lose(),
    async wait(ms: number) {
      await turn()
      mock.timers.tick(ms)
      await turn()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await ended
    },
  }
}
