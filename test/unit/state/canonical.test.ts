import { expect } from 'chai'
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

  it('G2 is hashed with sha256', () => {
    expect(hashOf({})).to.equal('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })
})
