import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import { watchEngine } from '../../../../lib/reconcile/loop/watch.ts'
import { identity } from '../../../support/builders.ts'
import { silent } from '../../../support/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory-engine.ts'

describe('listening to an engine', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('G18 says look again as it begins: something may have been missed', async () => {
    const stopping = new AbortController()
    let looks = 0
    const look = () => {
      looks += 1
      stopping.abort()
    }
    await watchEngine(memoryEngine(), identity('prod'), look, silent, stopping.signal)
    expect(looks).to.equal(1)
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
})

/** An engine that is listened to; it answers until it hangs, and says nothing until something happens. */
function listen() {
  const stopping = new AbortController()
  let [looks, asked, isThere] = [0, 0, true]
  let happen: () => void = () => undefined
  const memory = memoryEngine()
  const engine: Engine = {
    ...memory,
    async info(signal) {
      asked += 1
      if (!isThere) throw new Error('it does not answer in time')
      return memory.info(signal)
    },
    watch: (_, onEvent, signal) =>
      new Promise(resolve => {
        happen = () => onEvent({ site: 'local', container: 'web.1', action: 'die', atMs: 0 })
        signal.addEventListener('abort', () => resolve(), { once: true })
      }),
  }
  const look = () => {
    looks += 1
  }
  const ended = watchEngine(engine, identity('prod'), look, silent, stopping.signal)
  return {
    looks: () => looks,
    asked: () => asked,
    hang: () => {
      isThere = false
    },
    happen: () => happen(),
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
