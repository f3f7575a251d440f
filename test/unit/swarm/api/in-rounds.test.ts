import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { inRounds } from '../../../../lib/swarm/api/in-rounds.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'

/** Rounds that end when the test says so, and what each was asked for. */
function rounds() {
  const asked: (readonly string[])[] = []
  const open: PromiseWithResolvers<void>[] = []
  const began: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()]
  const ask = inRounds(async keys => {
    asked.push(keys)
    const end = Promise.withResolvers<void>()
    open.push(end)
    began[asked.length - 1]?.resolve()
    await end.promise
    return new Map(keys.filter(key => key !== 'gone').map(key => [key, `${key} in round ${asked.length}`]))
  })
  return { ask, asked, open, hasBegun: (round: number) => began[round - 1]?.promise }
}

describe('questions that are asked together', () => {
  it('G24 are one round for all that wait, each of which gets its own answer', async () => {
    const { ask, asked, open, hasBegun } = rounds()
    const answers = Promise.all(['a', 'b', 'gone', 'a'].map(ask))
    await hasBegun(1)
    open[0]?.resolve()
    expect(await answers).to.deep.equal(['a in round 1', 'b in round 1', undefined, 'a in round 1'])
    expect(asked).to.deep.equal([['a', 'b', 'gone']])
  })

  it('D18 are never answered by a round that began before they were asked', async () => {
    const { ask, asked, open, hasBegun } = rounds()
    const first = ask('a')
    await hasBegun(1)
    const later = Promise.all([ask('a'), ask('b')])
    open[0]?.resolve()
    expect(await first).to.equal('a in round 1')
    await hasBegun(2)
    open[1]?.resolve()
    expect(await later).to.deep.equal(['a in round 2', 'b in round 2'])
    expect(asked).to.deep.equal([['a'], ['a', 'b']])
  })

  it('G17 fail together with their round, and the next round is asked anew', async () => {
    const { ask, open, hasBegun } = rounds()
    const failures = Promise.all(['a', 'b'].map(key => failureOf(ask(key))))
    await hasBegun(1)
    open[0]?.reject(new Failure('swarm-unavailable', 'cluster: its Swarm has no leader'))
    expect((await failures).map(({ code }) => code)).to.deep.equal(['swarm-unavailable', 'swarm-unavailable'])
    const next = ask('a')
    await hasBegun(2)
    open[1]?.resolve()
    expect(await next).to.equal('a in round 2')
  })
})
