import { expect } from 'chai'
import { watchEngine } from '../../../lib/reconcile/watch.ts'
import { identity } from '../../support/builders.ts'
import { silent } from '../../support/memory-daemon.ts'
import { memoryEngine } from '../../support/memory-engine.ts'

describe('listening to an engine', () => {
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
})
