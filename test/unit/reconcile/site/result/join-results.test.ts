import { expect } from 'chai'
import { saidTogether } from '../../../../../lib/reconcile/site/result/join-results.ts'

describe('what is said of several sites together', () => {
  it('D17 tells once who writes to them, and everything else of each', () => {
    const error = (code: 'another-writer' | 'engine-refused', message: string) => ({
      ...({ outcome: 'failed', sync: 'Unknown' } as const),
      errors: [{ code, message, hint: 'Look.', retry: 'backoff' as const }],
    })
    const { errors } = saidTogether([
      error('engine-refused', 'a: the engine is busy'),
      error('another-writer', 'a: another tallyman runs prod, pid 7 on x since 2026-03-01T11:00:01.000Z'),
      error('engine-refused', 'b: the engine is busy'),
      error('another-writer', 'b: another tallyman runs prod, pid 7 on x since 2026-03-01T11:00:02.000Z'),
    ])
    expect(errors.map(({ message }) => message)).to.deep.equal([
      'a, b: another tallyman runs prod, pid 7 on x since 2026-03-01T11:00:01.000Z',
      'a: the engine is busy',
      'b: the engine is busy',
    ])
  })
})
