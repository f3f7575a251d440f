import { expect } from 'chai'
import { isRetry, isTransient, nextDelayMs } from '../../../../lib/reconcile/loop/next-delay.ts'
import type { PassError } from '../../../../lib/reconcile/status/error.ts'

const minute = 60_000

const passing: PassError = { code: 'git-unreachable', message: 'no answer', hint: 'wait', retry: 'backoff' }
const lasting: PassError = { code: 'manifest-invalid', message: 'wrong', hint: 'correct it', retry: 'never' }

/** Without jitter. */
function delay(
  failures: number,
  { pollMs, random = 0.5 }: { pollMs?: number; random?: number } = {},
): number | undefined {
  return nextDelayMs({ pollMs, failures, random })
}

describe('when to look again', () => {
  it('looks after the interval when all is well', () => {
    expect(delay(0, { pollMs: minute })).to.equal(minute)
  })

  it('leaves it to the cron expression where there is no interval', () => {
    expect(delay(0)).to.equal(undefined)
  })

  it('G12 looks again after one second, then two, then four, while waiting may help', () => {
    expect([1, 2, 3, 4].map(failures => delay(failures))).to.deep.equal([1_000, 2_000, 4_000, 8_000])
  })

  it('G12 never waits longer than five minutes', () => {
    expect([9, 10, 1_000].map(failures => delay(failures))).to.deep.equal([256_000, 300_000, 300_000])
  })

  it('G12 never waits longer than the interval', () => {
    expect(delay(10, { pollMs: minute })).to.equal(minute)
  })

  it('G12 calls it a retry from the first failure on, as long as it comes before the interval is over', () => {
    expect([0, 1, 10].map(failures => isRetry({ pollMs: minute, failures }))).to.deep.equal([
      false,
      true,
      false,
    ])
    expect([0, 1, 10].map(failures => isRetry({ pollMs: undefined, failures }))).to.deep.equal([
      false,
      true,
      true,
    ])
  })

  it('spreads wake-ups by a tenth to either side', () => {
    expect([0, 1].map(random => delay(0, { pollMs: minute, random }))).to.deep.equal([54_000, 66_000])
    expect([0, 1].map(random => delay(1, { random }))).to.deep.equal([900, 1_100])
  })
})

describe('whether waiting may help', () => {
  const cases: readonly (readonly [string, readonly PassError[], boolean])[] = [
    ['failed', [passing], true],
    ['failed', [lasting, passing], true],
    ['failed', [lasting], false],
    ['rolled-back', [], false],
  ]
  for (const [outcome, errors, expected] of cases) {
    it(`${expected ? 'does' : 'does not'} for ${outcome} with ${errors.map(({ code }) => code).join(', ') || 'no error'}`, () => {
      expect(isTransient({ outcome: outcome === 'failed' ? 'failed' : 'rolled-back', errors })).to.equal(
        expected,
      )
    })
  }

  it('does not when what runs is as wanted, though the source did not answer', () => {
    expect(isTransient({ outcome: 'in-sync', errors: [passing] })).to.equal(false)
  })
})
