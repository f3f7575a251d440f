import { expect } from 'chai'
import { turns } from '../../lib/turns.ts'

describe('turns', () => {
  it('lets what concerns one thing happen one after the other, a failure included', async () => {
    const inTurn = turns()
    const happened: string[] = []
    const action = (name: string) => async () => {
      happened.push(`${name} begins`)
      await Promise.resolve()
      happened.push(`${name} ends`)
      if (name === 'a') throw new Error('a fails')
      return name
    }
    const results = await Promise.allSettled([inTurn('gate', action('a')), inTurn('gate', action('b'))])
    expect(happened).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled'])
  })

  it('lets what concerns others happen meanwhile', async () => {
    const inTurn = turns()
    const { promise: other, resolve } = Promise.withResolvers<string>()
    const first = inTurn('gate', () => other)
    await inTurn('another', async () => resolve('done'))
    expect(await first).to.equal('done')
  })
})
