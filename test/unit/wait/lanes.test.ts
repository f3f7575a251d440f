import { expect } from 'chai'
import { createLanes } from '../../../lib/wait/lanes.ts'

describe('a lane', () => {
  it('lets what concerns one thing happen one after the other, a failure included', async () => {
    const inLane = createLanes()
    const happened: string[] = []
    const action = (name: string) => async () => {
      happened.push(`${name} begins`)
      await Promise.resolve()
      happened.push(`${name} ends`)
      if (name === 'a') throw new Error('a fails')
      return name
    }
    const results = await Promise.allSettled([inLane('gate', action('a')), inLane('gate', action('b'))])
    expect(happened).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled'])
  })

  it('lets what concerns others happen meanwhile', async () => {
    const inLane = createLanes()
    const { promise: other, resolve } = Promise.withResolvers<string>()
    const first = inLane('gate', () => other)
    await inLane('another', async () => resolve('done'))
    expect(await first).to.equal('done')
  })
})
