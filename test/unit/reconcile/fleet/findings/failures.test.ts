import { expect } from 'chai'
import type { HeldCode } from '../../../../../lib/plan/hold/held.ts'
import { failureIn, hindranceIn } from '../../../../../lib/reconcile/fleet/findings/failures.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { change, desired, live } from '../../../../support/builders/builders.ts'
import { planOf } from '../../../../support/builders/planning.ts'

/** Whether a pass that holds a change of `shop` says that its version fails, or that something hinders it. */
function judged(code: HeldCode) {
  const held = { code, reason: 'it says why' }
  const plan = {
    ...planOf({ desired: desired(), live: live() }),
    changes: [change({ application: 'shop', held })],
  }
  const result: PassResult = {
    ...{ outcome: 'in-sync', sync: 'OutOfSync', errors: [], waiting: [], results: [], status: [] },
    plan,
  }
  const how = { version: '2', sinceMs: 0, how: undefined, isRechecked: false }
  return [failureIn(result, 'shop', undefined, how)?.reason, hindranceIn(result, 'shop')?.reason]
}

describe('what a pass holds of a version', () => {
  it('A33 is a failure where only a person can help', () => {
    for (const code of ['quarantined', 'barred', 'not-converging'] as const)
      expect(judged(code), code).to.deep.equal(['it says why', undefined])
  })

  it('A33 G1 hinders it where somebody else has what it needs, and may give it up', () => {
    for (const code of ['name-taken', 'port-taken'] as const)
      expect(judged(code), code).to.deep.equal([undefined, 'it says why'])
  })

  it('A33 is neither where it only waits', () => {
    expect(judged('window-closed')).to.deep.equal([undefined, undefined])
  })
})

/** Whether a pass fails a version whose hook had failed at 1 s. */
function judgedHook(version: string, sinceMs: number): string | undefined {
  const trouble = {
    ...{ environment: 'prod', site: 'lab', application: 'shop', service: 'web', release: 'r', version: '2' },
    ...{ code: 'job-failed', message: 'the hook failed', atMs: 1_000 },
  }
  const result: PassResult = {
    ...{ outcome: 'in-sync', sync: 'Synced', errors: [], waiting: [], results: [], status: [] },
    troubles: [trouble],
  }
  return failureIn(result, 'shop', undefined, { version, sinceMs, how: undefined, isRechecked: false })
    ?.reason
}

describe('a hook that failed once a version served', () => {
  it('A33 H30 is a failure of the version in its run, also for a pass that did not see it end', () => {
    expect(judgedHook('2', 500)).to.equal('the hook failed')
  })

  it('A33 is none of another version, nor after a new run or a word to go on', () => {
    expect([judgedHook('3', 500), judgedHook('2', 1_001)]).to.deep.equal([undefined, undefined])
  })
})
