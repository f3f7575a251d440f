import { expect } from 'chai'
import type { PassError } from '../../../lib/reconcile/error.ts'
import { isTransient, nextDelayMs } from '../../../lib/reconcile/schedule.ts'

const minute = 60_000

const passing: PassError = { code: 'git-unreachable', message: 'no answer', hint: 'wait', retry: 'backoff' }
const lasting: PassError = { code: 'manifest-invalid', message: 'wrong', hint: 'correct it', retry: 'never' }

/** Without jitter. */
function delay(
  errors: readonly PassError[],
  { failures = 1, pollMs, random = 0.5 }: { failures?: number; pollMs?: number; random?: number } = {},
): number | undefined {
  return nextDelayMs({ result: { outcome: 'failed', errors }, pollMs, failures, random })
}

describe('when to look again', () => {
  it('looks after the interval when all is well', () => {
    expect(
      nextDelayMs({ result: { outcome: 'in-sync', errors: [] }, pollMs: minute, failures: 0, random: 0.5 }),
    ).to.equal(minute)
  })

  it('leaves it to the cron expression where there is no interval', () => {
    expect(
      nextDelayMs({
        result: { outcome: 'applied', errors: [] },
        pollMs: undefined,
        failures: 0,
        random: 0.5,
      }),
    ).to.equal(undefined)
  })

  it('G12 looks again after one second, then two, then four, while waiting may help', () => {
    expect([1, 2, 3, 4].map(failures => delay([passing], { failures }))).to.deep.equal([
      1_000, 2_000, 4_000, 8_000,
    ])
  })

  it('G12 never waits longer than five minutes', () => {
    expect([9, 10, 1_000].map(failures => delay([passing], { failures }))).to.deep.equal([
      256_000, 300_000, 300_000,
    ])
  })

  it('G12 never waits longer than the interval', () => {
    expect(delay([passing], { failures: 10, pollMs: minute })).to.equal(minute)
  })

  it('G2 waits for the interval when only a change of input helps', () => {
    expect(delay([lasting], { pollMs: minute })).to.equal(minute)
    expect(delay([lasting])).to.equal(undefined)
  })

  it('spreads wake-ups by a tenth to either side', () => {
    expect([0, 1].map(random => delay([], { pollMs: minute, random }))).to.deep.equal([54_000, 66_000])
    expect([0, 1].map(random => delay([passing], { random }))).to.deep.equal([900, 1_100])
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
