import { expect } from 'chai'
import { passIdTogether, saidTogether } from '../../../../../lib/reconcile/site/result/join-results.ts'

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

  it('G18 A34 is the newest pass that reached its site, and not one that did nothing because its site was away', () => {
    const [done, away] = ['applied', 'unreachable'] as const
    const of = (...all: readonly (readonly [number, typeof done | typeof away])[]) =>
      passIdTogether(all.map(([passId, outcome]) => ({ passId, outcome })))
    expect(of([79, done], [82, away])).to.equal(79)
    expect(of([79, done], [81, done], [82, away])).to.equal(81)
    expect(of([80, away], [82, away])).to.equal(82)
  })
})
