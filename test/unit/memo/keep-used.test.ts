import { expect } from 'chai'
import { keepUsed } from '../../../lib/memo/keep-used.ts'

const hourMs = 3_600_000

describe('what is remembered as long as it is used', () => {
  it('G22 is forgotten once nobody used it for a while', () => {
    let now = 0
    const kept = keepUsed<string, number>({ most: 10, unusedMs: hourMs }, () => now)
    kept.set('used', 1)
    kept.set('unused', 2)
    const sizes = [1, 2, 3, 4].map(hours => {
      now = hours * hourMs
      kept.age()
      kept.get('used')
      return kept.count()
    })
    expect(sizes).to.deep.equal([2, 1, 1, 1])
    expect([kept.get('used'), kept.get('unused')]).to.deep.equal([1, undefined])
  })

  it('G21 is never forgotten if it is used each time, however much later that is', () => {
    let now = 0
    const kept = keepUsed<number, string>({ most: 1_000, unusedMs: hourMs }, () => now)
    const names = Array.from({ length: 900 }, (_, index) => index)
    for (const name of names) kept.set(name, `${name}`)
    for (const days of [1, 2, 30]) {
      now = days * 24 * hourMs
      kept.age()
      expect(names.filter(name => kept.get(name) === undefined)).to.deep.equal([])
    }
  })

  it('G22 is never more than twice as much as it may be, and what was used last is there', () => {
    const kept = keepUsed<number, number>({ most: 100, unusedMs: hourMs })
    for (let name = 0; name < 10_000; name += 1) {
      kept.set(name, name)
      kept.get(0)
      expect(kept.count()).to.be.at.most(200)
    }
    expect([kept.get(0), kept.get(9_999), kept.get(5_000)]).to.deep.equal([0, 9_999, undefined])
  })
})
