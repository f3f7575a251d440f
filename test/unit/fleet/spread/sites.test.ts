import { expect } from 'chai'
import { setOf, sitesIn, withSites } from '../../../../lib/fleet/spread/sites.ts'

describe('sites that are no set', () => {
  it('A32 are those of both, in the order of the first, and others after them, each once', () => {
    const all = ['a', 'b', 'c', 'd']
    const some = sitesIn(all, setOf(all), new Set(['d', 'b', 'elsewhere']))
    expect([[...some], some.size]).to.deep.equal([['b', 'd'], 2])
    const more = withSites(some, ['c', 'b', 'c'])
    expect([[...more], more.size]).to.deep.equal([['b', 'd', 'c'], 3])
    const among = ['a', 'b', 'c', 'elsewhere'].map(site => [some.has(site), more.has(site)])
    expect(among).to.deep.equal([
      [false, false],
      [true, true],
      [false, true],
      [false, false],
    ])
  })

  it('G24 are counted once, however many sites ask how many they are', () => {
    const all = ['a', 'b', 'c']
    const asked: string[] = []
    const others = { has: (site: string) => asked.push(site) > 0 }
    const some = sitesIn(all, setOf(all), others)
    const more = withSites(some, [])
    expect([more.size, more.size, some.size, asked]).to.deep.equal([3, 3, 3, all])
  })
})
