import { expect } from 'chai'
import { gravestCode, type PartCode } from '../../../lib/cli/exit.ts'
import { exitCodeOfApply } from '../../../lib/cli/exit-of-apply.ts'
import type { PassError } from '../../../lib/reconcile/status/error.ts'
import type { Outcome } from '../../../lib/state/pass/outcome.ts'

describe('the exit code of several environments', () => {
  const ends: readonly (readonly [Outcome, Outcome, PartCode])[] = [
    ['needs-confirmation', 'failed', 1],
    ['needs-confirmation', 'rolled-back', 1],
    ['needs-confirmation', 'partially-applied', 1],
    ['applied', 'failed', 1],
    ['needs-confirmation', 'applied', 3],
    ['needs-confirmation', 'in-sync', 3],
    ['applied', 'in-sync', 0],
  ]
  for (const [one, other, code] of ends)
    it(`G6 is ${code} for ${one} and ${other}, whichever comes first`, () => {
      const codes = [one, other].map(outcome => exitCodeOfApply({ outcome, errors: [], unreachable: [] }))
      expect([gravestCode(codes), gravestCode(codes.toReversed())]).to.deep.equal([code, code])
    })

  it('G6 is 0 for none', () => {
    expect(gravestCode([])).to.equal(0)
  })
})

describe('the exit code of one environment', () => {
  it('G6 is that of what failed, also if something else waits for a confirmation', () => {
    const error = { code: 'engine-unreachable', message: 'north: it is down', hint: 'Start it.' } as PassError
    const outcome = 'needs-confirmation'
    expect(exitCodeOfApply({ outcome, errors: [], unreachable: [error] })).to.equal(1)
    expect(exitCodeOfApply({ outcome, errors: [error], unreachable: [] })).to.equal(1)
  })
})
