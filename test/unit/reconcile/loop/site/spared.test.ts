import { expect } from 'chai'
import type { ChangeResult } from '../../../../../lib/apply/apply.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { backoffAfter } from '../../../../../lib/reconcile/loop/site/spared.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { failureError } from '../../../../../lib/reconcile/status/error.ts'
import { change, desired, live } from '../../../../support/builders/builders.ts'
import { repair } from '../../../../support/builders/changes.ts'
import { planOf } from '../../../../support/builders/planning.ts'

const busy = new Failure('engine-refused', 'the engine is busy')
const unhealthy = new Failure('unhealthy', 'not healthy')

function passed(...results: readonly ChangeResult[]): PassResult {
  const errors = results.flatMap(done =>
    'failure' in done
      ? [
          {
            ...failureError(done.failure),
            ...(done.change.cause === 'drifted' ? { retry: 'backoff' as const } : {}),
          },
        ]
      : [],
  )
  const outcome = errors.length > 0 ? 'failed' : 'applied'
  return { outcome, sync: 'OutOfSync', errors, waiting: [], results, status: [] }
}

const failing = (application: string): ChangeResult => ({
  change: change({ application }),
  result: 'failed',
  failure: busy,
})

describe('what is backed off from', () => {
  const input = {
    spared: undefined,
    before: undefined,
    pollMs: 60_000,
    steadyMs: 10_000,
    nowMs: 5_000_000,
    random: 0.5,
  }

  it('G17 is the application that failed for a reason that may go away, and no other', () => {
    const after = backoffAfter({
      ...input,
      result: passed(failing('web'), { change: change({ application: 'api' }), result: 'applied' }),
    })
    expect([...(after?.applications.keys() ?? [])]).to.deep.equal(['local/web'])
    expect(after).to.include({ failures: 1, untilMs: 11_000 })
    expect(after?.applications.get('local/web')).to.deep.equal({
      code: 'engine-refused',
      reason: 'the engine is busy',
      isLater: true,
      againMs: 5_001_000,
    })
  })

  it('G13 G17 names no site a second time in the reason, where the site is named anyway', () => {
    const missing = new Failure('mount-refused', 'local: /srv/x: there is no such directory')
    const result = passed({ ...failing('web'), failure: missing } as ChangeResult)
    expect(backoffAfter({ ...input, result })?.applications.get('local/web')?.reason).to.equal(
      '/srv/x: there is no such directory',
    )
  })

  it('G17 is an application for longer than the interval, because others are looked at meanwhile', () => {
    const before = { failures: 6, isUnseen: false, untilMs: 10_000, applications: new Map() }
    const after = backoffAfter({ ...input, before, pollMs: 1_000, result: passed(failing('web')) })
    expect(after).to.include({ failures: 7, untilMs: 74_000 })
  })

  it('G17 is what it was after a look at all others in between', () => {
    const spared = backoffAfter({ ...input, result: passed(failing('web')) })
    const after = backoffAfter({ ...input, steadyMs: 10_500, spared, before: spared, result: passed() })
    expect(after).to.equal(spared)
  })

  it('G17 grows with each try, and with each further application', () => {
    const first = backoffAfter({ ...input, result: passed(failing('web')) })
    const again = backoffAfter({ ...input, steadyMs: 11_000, before: first, result: passed(failing('web')) })
    expect(again).to.include({ failures: 2, untilMs: 13_000 })
    const more = backoffAfter({
      ...input,
      steadyMs: 11_500,
      spared: again,
      before: again,
      result: passed(failing('api')),
    })
    expect([...(more?.applications.keys() ?? [])]).to.deep.equal(['local/web', 'local/api'])
  })

  it('G17 is a site that does not answer for longer than the interval, because others are looked at meanwhile', () => {
    const plan = { ...planOf({ desired: desired(), live: live(desired()) }), unseen: ['local'] }
    const errors = [failureError(new Failure('engine-unreachable', 'local: no answer'))]
    const result: PassResult = { ...passed(), outcome: 'failed', plan, errors }
    const before = { failures: 6, isUnseen: true, untilMs: 10_000, applications: new Map() }
    const after = backoffAfter({ ...input, before, pollMs: 1_000, result })
    expect(after).to.include({ failures: 7, untilMs: 74_000 })
  })

  it('G17 is what fails on a site that is back as if for the first time, however long the site was away', () => {
    const before = { failures: 9, isUnseen: true, untilMs: 10_000, applications: new Map() }
    const after = backoffAfter({ ...input, before, result: passed(failing('web')) })
    expect(after).to.include({ failures: 1, isUnseen: false, untilMs: 11_000 })
  })

  it('G1 G17 is a release that failed before anything was touched only if another attempt may help', () => {
    const failed = (code: 'image-lacking' | 'address-pool-empty') =>
      passed({
        ...{ change: change({ application: 'web' }), result: 'failed' as const },
        failure: new Failure(code, 'it says why'),
      })
    const spared = (result: PassResult) => [
      ...(backoffAfter({ ...input, result })?.applications.keys() ?? []),
    ]
    expect(spared(failed('address-pool-empty'))).to.deep.equal(['local/web'])
    expect(spared(failed('image-lacking'))).to.deep.equal([])
  })

  it('G5 is not a release that failed for good: that one is in quarantine', () => {
    const result = passed({ change: change(), result: 'rolled-back', failure: unhealthy })
    expect(backoffAfter({ ...input, result })).to.equal(undefined)
  })

  it('G5 D9 is a repair that failed, whatever the reason: it is tried again', () => {
    const mended = repair()
    const result = passed({ change: mended, result: 'failed', failure: unhealthy })
    const after = backoffAfter({ ...input, result })
    expect([after?.untilMs, ...(after?.applications.keys() ?? [])]).to.deep.equal([11_000, 'local/web'])
  })

  it('G12 is nothing any more once all went well', () => {
    const before = backoffAfter({ ...input, result: passed(failing('web')) })
    expect(backoffAfter({ ...input, before, result: passed() })).to.equal(undefined)
  })
})
