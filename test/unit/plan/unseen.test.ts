import { expect } from 'chai'
import { unseenPlan } from '../../../lib/plan/plan.ts'
import { lastLine } from '../../../lib/plan/text/render.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { desired, live } from '../../support/builders/builders.ts'
import { planOf } from '../../support/builders/planning.ts'

describe('the plan of a site that does not answer', () => {
  const wanted: DesiredState = {
    ...desired(),
    blocked: [{ application: 'web', problems: [{ code: 'image-not-found', message: 'no such image' }] }],
    warnings: [{ code: 'address-pool-small', message: 'few addresses' }],
  }
  const plan = unseenPlan(wanted, 'store-1')

  it('G17 does nothing, and says which site it is and what is known without it', () => {
    const { id: _, ...said } = plan
    expect(said).to.deep.equal({
      environment: 'prod',
      revision: wanted.revision,
      changes: [],
      blocked: wanted.blocked,
      unseen: ['store-1'],
      warnings: wanted.warnings,
    })
    expect(lastLine(plan)).to.equal('No changes where an engine answers; store-1 does not.')
  })

  it('G17 is none of a site that answers', () => {
    const state = desired({ tag: '1' })
    expect(planOf({ desired: state, live: live(state), applied: state }).unseen).to.deep.equal([])
  })
})
