import { expect } from 'chai'
import { fieldChanges } from '../../../../../lib/plan/compare/field/fields.ts'
import type { Container } from '../../../../../lib/state/application/container/container.ts'
import { bytesText } from '../../../../../lib/text/amount.ts'

const web: Container = {
  name: 'web',
  image: { reference: 'web:1', pin: { state: 'unknown', reason: 'no registry' } },
  restart: { name: 'no' },
  stopGraceMs: 1_000,
}

describe('fields of a plan', () => {
  it('G7 shows limits in units that people read, without a loss', () => {
    const before: Container = {
      ...web,
      memoryBytes: 1_000_000_000,
      nanoCpus: 500_000_000,
      memorySwapBytes: -1,
    }
    const after: Container = {
      ...web,
      memoryBytes: 1_000_000_001,
      nanoCpus: 1_500_000_001,
      memorySwapBytes: 2_147_483_648,
    }
    const changes = fieldChanges('web', { containers: [before] }, { containers: [after] })
    expect(changes.map(({ path, from, to }) => `${path} ${from} → ${to}`)).to.deep.equal([
      'web/memoryBytes 1 GB → 1000000001 bytes',
      'web/memorySwapBytes no limit → 2 GiB',
      'web/nanoCpus 0.5 CPUs → 1.500000001 CPUs',
    ])
  })

  for (const [bytes, text] of [
    [0, '0 bytes'],
    [1, '1 byte'],
    [1_000, '1 kB'],
    [1_024, '1 KiB'],
    [1_024_000, '1000 KiB'],
    [67_108_864, '64 MiB'],
    [64_000_000, '64 MB'],
    [1_500_000_000, '1500 MB'],
    [9_007_199_254_740_991, '9007199254740991 bytes'],
  ] as const)
    it(`says ${bytes} bytes as ${text}`, () => {
      expect(bytesText(bytes)).to.equal(text)
    })
})
