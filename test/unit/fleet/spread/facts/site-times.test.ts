import { expect } from 'chai'
import { noSiteTimes } from '../../../../../lib/fleet/spread/facts/site-times.ts'

describe('times of many sites', () => {
  it('A32 are those that were set last, of these sites alone', () => {
    const times = noSiteTimes()
    times.set('b', 7)
    times.set('a', 5)
    times.set('b', 3)
    times.set('gone', 9)
    times.delete('gone')
    expect(['a', 'b', 'gone', 'other'].map(times.get)).to.deep.equal([5, 3, undefined, undefined])
    expect(['a', 'gone', 'constructor'].map(times.has)).to.deep.equal([true, false, false])
    expect(times.latest()).to.equal(5)
    expect(noSiteTimes().latest()).to.equal(undefined)
  })

  it('A32 stay as they are, whatever their copies become, and have room for all', () => {
    const first = noSiteTimes()
    first.set('a', 1)
    const [one, other, alike] = [first.copy(), first.copy(), first.copy()]
    first.set('a', 6)
    const names = Array.from({ length: 200 }, (_, index) => `site-${index}`)
    for (const [index, name] of names.entries()) one.set(name, index)
    other.set('a', 2)
    other.set('b', 3)
    first.set('c', 4)
    expect(names.map(one.get)).to.deep.equal(names.map((_, index) => index))
    const told = [first, one, other, alike].map(times => ['a', 'b', 'c', 'site-150'].map(times.get))
    expect(told).to.deep.equal([
      [6, undefined, 4, undefined],
      [1, undefined, undefined, 150],
      [2, 3, undefined, undefined],
      [1, undefined, undefined, undefined],
    ])
  })
})
