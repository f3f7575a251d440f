import { expect } from 'chai'
import fc from 'fast-check'
import { canonical, hashOf } from '../../../lib/state/canonical.ts'

describe('the canonical spelling', () => {
  it('G2 is one for equal values: keys sorted at every depth', () => {
    expect(canonical({ b: [{ d: 1, c: 'x' }], a: null })).to.equal('{"a":null,"b":[{"c":"x","d":1}]}')
  })

  it('G2 does not tell an absent field from one that is undefined', () => {
    expect(canonical({ a: 1, b: undefined })).to.equal('{"a":1}')
  })

  it('G2 keeps the order of lists', () => {
    expect(canonical(['b', 'a'])).to.equal('["b","a"]')
  })

  it('G2 keeps keys that mean something to the language', () => {
    expect(canonical(JSON.parse('{"__proto__": 1, "constructor": 2}'))).to.equal(
      '{"__proto__":1,"constructor":2}',
    )
  })

  it('G2 lists keys that are indexes first, by their numbers', () => {
    expect(canonical({ b: 1, '4294967295': 2, '10': 3, '-': 4, '9': 5 })).to.equal(
      '{"9":5,"10":3,"-":4,"4294967295":2,"b":1}',
    )
  })

  it('G2 is the JSON of the value with its keys in order, for any value', () => {
    const key = fc.oneof(fc.string(), fc.nat().map(String))
    fc.assert(
      fc.property(fc.object({ key, withNullPrototype: true }), value => {
        expect(canonical(value)).to.equal(JSON.stringify(inOrder(value)))
      }),
    )
  })

  it('G2 is hashed with sha256', () => {
    expect(hashOf({})).to.equal('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })
})

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, field]) => [key, inOrder(field)]))
}
