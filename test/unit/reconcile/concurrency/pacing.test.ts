import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { createPacing } from '../../../../lib/reconcile/concurrency/pacing.ts'

describe('turns of the event loop', () => {
  it('G17 have one piece of a pass each, first come, first served', async () => {
    const { pacing, work, begun } = scene()
    for (const name of ['a', 'b', 'c']) void pacing.begin().then(() => work(name, 1))
    expect(await seenOf(begun, 3)).to.deep.equal(['a', 'a b', 'a b c'])
  })

  it('G17 go on with what has begun before anything else begins', async () => {
    const { pacing, work, begun } = scene()
    for (const name of ['a', 'b'])
      void pacing
        .begin()
        .then(() => work(name, 1))
        .then(pacing.goOn)
        .then(() => work(`${name} goes on`, 1))
    expect(await seenOf(begun, 4)).to.deep.equal([
      'a',
      'a a goes on',
      'a a goes on b',
      'a a goes on b b goes on',
    ])
  })

  it('G17 have as many answers as begin within 5 ms, each with all that comes of it without waiting', async () => {
    const { pacing, work, begun } = scene()
    const answer = async (name: string) => {
      await pacing.hear()
      work(name, 1)
      await Promise.resolve()
      await Promise.resolve()
      work(`${name}2`, 1)
    }
    for (const name of ['a', 'b', 'c', 'd']) void answer(name)
    expect(await seenOf(begun, 2)).to.deep.equal(['a a2 b b2 c c2', 'a a2 b b2 c c2 d d2'])
  })

  it('G17 are for passes and for answers in turns, so that neither waits for all of the other', async () => {
    const { pacing, work, begun } = scene()
    for (const name of ['a', 'b', 'c']) void pacing.hear().then(() => work(name, 4))
    for (const name of ['x', 'y']) void pacing.goOn().then(() => work(name, 4))
    expect(await seenOf(begun, 4)).to.deep.equal(['x', 'x a b', 'x a b y', 'x a b y c'])
  })

  it('G17 are for passes and for what is told of many sites in turns, so that nobody who asks keeps passes from beginning', async () => {
    const { pacing, work, begun } = scene()
    const tell = async () => {
      for (const piece of ['1', '2', '3']) {
        await pacing.tell()
        work(piece, 30)
      }
    }
    void tell()
    for (const name of ['a', 'b']) void pacing.begin().then(() => work(name, 1))
    expect(await seenOf(begun, 5)).to.deep.equal(['1', '1 a', '1 a 2', '1 a 2 b', '1 a 2 b 3'])
  })
})

/** Turns by a clock that goes on only while something works. */
function scene() {
  let nowMs = 0
  const begun: string[] = []
  const work = (name: string, ms: number) => {
    begun.push(name)
    nowMs += ms
  }
  return { pacing: createPacing(() => nowMs), work, begun }
}

/** What there is after each of so many turns. */
async function seenOf(begun: readonly string[], count: number): Promise<readonly string[]> {
  const seen: string[] = []
  while (seen.length < count) {
    await turn()
    seen.push(begun.join(' '))
  }
  return seen
}
