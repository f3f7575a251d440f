import { expect } from 'chai'
import { drawBatch } from '../../../../lib/fleet/spread/draw.ts'

const sites = Array.from({ length: 40 }, (_, index) => `site-${index}`)

describe('the draw of a batch', () => {
  it('A32 prefers no site: over many seeds, each is drawn about equally often', () => {
    const counts = new Map<string, number>()
    for (let seed = 0; seed < 400; seed += 1)
      for (const site of drawBatch(sites, 10, { seed, number: 0 }))
        counts.set(site, (counts.get(site) ?? 0) + 1)
    // Each is drawn 100 times on average, with a standard deviation below 9.
    expect(Math.min(...sites.map(site => counts.get(site) ?? 0))).to.be.above(60)
    expect(Math.max(...counts.values())).to.be.below(140)
  })
})
