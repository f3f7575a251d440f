import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { createTurns } from '../../../../lib/reconcile/turns/turns.ts'

describe('turns of the event loop', () => {
  it('G17 has at most one piece of work in each, first come, first served', async () => {
    const turns = createTurns()
    const begun: string[] = []
    for (const name of ['a', 'b', 'c']) void turns.begin().then(() => begun.push(name))
    expect(await seenOf(begun, 3)).to.deep.equal(['a', 'a b', 'a b c'])
  })

  it('G17 goes on with what has begun before anything else begins', async () => {
    const turns = createTurns()
    const begun: string[] = []
    for (const name of ['a', 'b'])
      void turns
        .begin()
        .then(() => begun.push(name))
        .then(turns.goOn)
        .then(() => begun.push(`${name} goes on`))
    expect(await seenOf(begun, 4)).to.deep.equal([
      'a',
      'a a goes on',
      'a a goes on b',
      'a a goes on b b goes on',
    ])
  })
})

/** What there is after each of so many turns. */
async function seenOf(begun: readonly string[], count: number): Promise<readonly string[]> {
  const seen: string[] = []
  while (seen.length < count) {
    await turn()
    seen.push(begun.join(' '))
  }
  return seen
}
