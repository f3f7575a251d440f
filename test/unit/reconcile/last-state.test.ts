import { expect } from 'chai'
import { type LastState, stateAfter } from '../../../lib/reconcile/last-state.ts'
import type { PassResult } from '../../../lib/reconcile/pass-result.ts'
import type { ApplicationStatus } from '../../../lib/reconcile/status.ts'
import { desired, live } from '../../support/builders.ts'
import { planOf } from '../../support/planning.ts'

const web: ApplicationStatus = {
  site: 'local',
  application: 'web',
  sync: 'Synced',
  health: 'Healthy',
  version: '1',
  running: 1,
  wanted: 1,
  commit: 'c1',
  reason: '',
}
const unreadable = {
  code: 'manifest-invalid',
  message: 'a.json:1:1: no',
  hint: 'Correct it.',
  retry: 'never',
} as const
const state = desired()
const { commit } = state.revision
const newer = '2'.repeat(40)

function result(parts: Partial<PassResult> = {}): PassResult {
  return { outcome: 'in-sync', sync: 'Synced', errors: [], waiting: [], results: [], status: [web], ...parts }
}

const seen = result({ plan: planOf({ desired: state, live: live(state) }), desired: state })
const unread = result({ outcome: 'failed', sync: 'Unknown', errors: [unreadable], status: [] })

describe('the last known state', () => {
  const known: LastState = {
    outcome: 'in-sync',
    sync: 'Synced',
    revision: state.revision,
    errors: [],
    isSeen: true,
    applications: [web],
  }

  it('G13 is what the pass saw', () => {
    expect(stateAfter(undefined, seen, commit)).to.deep.equal(known)
  })

  it('G13 stays what was known when a pass came to no plan, beside what went wrong and with which commit', () => {
    expect(stateAfter(known, unread, newer)).to.deep.equal({
      ...known,
      outcome: 'failed',
      sync: 'Unknown',
      unread: newer,
      errors: [unreadable],
      isSeen: false,
    })
  })

  it('G13 names the newest commit also when the last good one was kept in its place', () => {
    expect(stateAfter(known, { ...seen, outcome: 'failed', errors: [unreadable] }, newer)).to.deep.equal({
      ...known,
      outcome: 'failed',
      unread: newer,
      errors: [unreadable],
    })
  })

  it('G13 names no other commit while nothing is wrong', () => {
    expect(stateAfter(known, seen, newer)).to.deep.equal(known)
    const failed = { ...seen, outcome: 'failed', errors: [unreadable] } as const
    expect(stateAfter(known, failed, commit), 'it is the newest one that failed').to.deep.equal({
      ...known,
      outcome: 'failed',
      errors: [unreadable],
    })
  })

  it('G12 is not told by a pass that was cut off', () => {
    expect(stateAfter(known, { ...unread, outcome: 'interrupted' }, newer)).to.equal(undefined)
  })
})
