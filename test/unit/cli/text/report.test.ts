import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { renderReport } from '../../../../lib/cli/text/report.ts'
import { Failure } from '../../../../lib/errors.ts'
import type { Change } from '../../../../lib/plan/change/change.ts'
import { desired, live, type ServiceParts } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'

/** What is said of the one service when the change from one state to another is rolled back. */
function told(before: ServiceParts | undefined, after: ServiceParts): string | undefined {
  const old = before === undefined ? live() : live(desired(before))
  const [change] = planOf({ desired: desired(after), live: old }).changes
  return change && report(change)
}

function report(change: Change): string | undefined {
  const failure = new Failure('unhealthy', 'its health check fails')
  const results = [{ change, result: 'rolled-back', failure } as const]
  const errors = { sync: 'OutOfSync', errors: [], waiting: [], status: [] } as const
  return printed(renderReport({ outcome: 'rolled-back', results, ...errors }), false).split('\n')[0]
}

describe('the report of an apply', () => {
  it('G6 says that what ran before runs on only where something ran', () => {
    expect(told({ tag: '1' }, { tag: '2' })).to.equal('web: failed, and what ran before runs on')
    expect(told({ tag: '1' }, { tag: '1', replicas: 3 })).to.equal('web: failed, and what ran before runs on')
    expect(told(undefined, { tag: '1', replicas: 2 })).to.equal(
      'web: failed, and what was begun is removed again',
    )
  })

  it('G6 D17 counts what was not begun on a site that was left alone', () => {
    const plan = planOf({ desired: desired({ tag: '2' }), live: live() })
    const on = (site: string) => plan.changes.map(change => ({ ...change, site }))
    const results = on('e1').map(change => ({ change, result: 'applied' }) as const)
    const both = { ...plan, changes: [...on('e1'), ...on('e2')] }
    const said = { sync: 'OutOfSync', errors: [], waiting: [], status: [], plan: both } as const
    const lines = renderReport({ outcome: 'interrupted', results, ...said })
    expect(printed(lines, false)).to.include('interrupted: 1 of 2 changes done, 1 left')
  })
})
