import { expect } from 'chai'
import { drawBatch } from '../../../../lib/fleet/spread/draw.ts'

const sites = Array.from({ length: 40 }, (_, index) => `site-${index}`)

describe('the draw of a batch', () => {
  it('A32 takes as many as may change at the same time, each once', () => {
    const drawn = drawBatch(sites, 7, { seed: 1, number: 0 })
    expect(new Set(drawn).size).to.equal(7)
    expect(sites).to.include.members([...drawn])
  })

  it('A32 G25 draws what earlier versions of Tallyman drew, so that a plan of theirs still has its id', () => {
    expect(drawBatch(sites, 7, { seed: 1, number: 0 }).join(' ')).to.equal(
      'site-9 site-24 site-37 site-0 site-28 site-4 site-20',
    )
    expect(drawBatch(sites, 3, { seed: 4_294_967_295, number: 12 }).join(' ')).to.equal(
      'site-9 site-23 site-0',
    )
  })

  it('A32 takes all if there are fewer', () => {
    expect([...drawBatch(['a', 'b'], 7, { seed: 1, number: 0 })].sort()).to.deep.equal(['a', 'b'])
  })

  it('A32 is decided by the seed and the number of the batch, whatever order the sites are in', () => {
    const drawn = drawBatch(sites, 7, { seed: 1, number: 0 })
    expect(drawBatch(sites.toReversed(), 7, { seed: 1, number: 0 })).to.deep.equal(drawn)
    expect(drawBatch(sites, 7, { seed: 2, number: 0 })).not.to.deep.equal(drawn)
    expect(drawBatch(sites, 7, { seed: 1, number: 1 })).not.to.deep.equal(drawn)
  })
})
