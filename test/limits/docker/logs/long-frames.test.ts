import { expect } from 'chai'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'
import { frame, read } from '../../../unit/docker/logs/frames.ts'

describe('the lines in what an engine sends of a container', () => {
  it('G17 take no longer for each chunk of a long frame than for one of a short frame', async () => {
    const readChunks = (count: number) => read(frame(1, Buffer.alloc(count * 40, 'x')), { size: 40 })
    expect(await growth(readChunks, 3_000)).to.be.below(mostInProportion)
  })
})
