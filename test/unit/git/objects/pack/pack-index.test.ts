import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { formatIndex, parseIndex } from '../../../../../lib/git/objects/pack/pack-index.ts'

describe('the index of a pack', () => {
  const entries = [
    { oid: `ff${'0'.repeat(38)}`, offset: 12, crc: 1 },
    { oid: `00${'1'.repeat(38)}`, offset: 300, crc: 2 },
    { oid: `7f${'2'.repeat(38)}`, offset: 100, crc: 3 },
  ]
  const bytes = formatIndex(entries, Buffer.alloc(20, 0xab))

  it('finds what was written into it', () => {
    const index = parseIndex(bytes, 1000, 'a.idx')
    expect(entries.map(({ oid }) => index.find(oid))).to.deep.equal([12, 300, 100])
    expect(index.find('7f'.padEnd(40, '0'))).to.equal(undefined)
    expect(index.packChecksum).to.equal('ab'.repeat(20))
  })

  it('knows where an entry ends: where the next begins, or before the checksum', () => {
    const index = parseIndex(bytes, 1000, 'a.idx')
    expect([12, 100, 300].map(index.endOf)).to.deep.equal([100, 300, 980])
  })

  it('G19 is refused when a byte is wrong or missing', () => {
    const garbled = Buffer.from(bytes)
    garbled[1100] = 0x55
    expect(() => parseIndex(garbled, 1000, 'a.idx')).to.throw(
      Failure,
      'a.idx: does not have its own checksum',
    )
    expect(() => parseIndex(bytes.subarray(0, 900), 1000, 'a.idx')).to.throw(
      Failure,
      'a.idx: is no pack index',
    )
  })
})
