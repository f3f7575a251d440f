import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { createTurns } from '../../../../lib/reconcile/site/turns.ts'

describe('turns of the event loop', () => {
  it('G17 lets at most one piece of work begin in each, first come, first served', async () => {
    const turns = createTurns()
    const begun: string[] = []
    for (const name of ['a', 'b', 'c']) void turns().then(() => begun.push(name))
    const seen: string[] = []
    while (seen.length < 3) {
      await turn()
      seen.push(begun.join(' '))
    }
    expect(seen).to.deep.equal(['a', 'a b', 'a b c'])
  })
})
