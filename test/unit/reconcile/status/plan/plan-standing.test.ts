import { expect } from 'chai'
import type { PassError } from '../../../../../lib/reconcile/status/error.ts'
import type { LastState } from '../../../../../lib/reconcile/status/last-state.ts'
import { planStanding } from '../../../../../lib/reconcile/status/plan/plan-standing.ts'

const about = [{ site: 'b', application: 'shop' }]
const journal = {
  wordsOn: () => [],
  waiting: () => [],
  unbegunApproval: () => ({ planId: 'aaaa', commit: 'c', who: 'ann', atMs: 1_000, about, carriedOutOn: [] }),
}
const seen: LastState = {
  ...{ outcome: 'failed', sync: 'OutOfSync', errors: [], isSeen: true, applications: [] },
}

function error(message: string, resource?: string): PassError {
  return {
    ...{ code: 'unhealthy', message, hint: '', retry: 'never' },
    ...(resource === undefined ? {} : { resource }),
  }
}

function away(site: string) {
  return { site, since: 'T', code: 'engine-unreachable', message: 'away', hint: '' }
}

/** Why the status says that an approval of `shop` on `b` is not carried out yet; undefined: it says nothing. */
function reason(state: Partial<LastState>): string | undefined {
  const source = { environment: 'prod', journal, state: { ...seen, ...state }, parts: [], nowMs: 3_000 }
  return planStanding(source, [], 2_000).approved?.reason
}

describe('an approval of which nothing has begun', () => {
  it('G13 is told with what went wrong where it was given, or everywhere', () => {
    expect(reason({ errors: [error('of all')] })).to.equal('of all')
    expect(reason({ errors: [error('of web', 'a/web/web'), error('of shop', 'b/shop/db')] })).to.equal(
      'of shop',
    )
    expect(reason({ errors: [error('blocked', 'shop')] })).to.equal('blocked')
    expect(reason({ unreachable: [away('b')] })).to.equal('away')
  })

  it('G13 is not told with what went wrong with something else', () => {
    const others = [
      error('of web', 'b/web/web'),
      error('of another site', 'a/shop/db'),
      error('blocked', 'web'),
    ]
    expect(reason({ errors: others, unreachable: [away('a')] })).to.equal(undefined)
  })
})
