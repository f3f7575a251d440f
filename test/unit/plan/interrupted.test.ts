import { expect } from 'chai'
import { desired, live } from '../../support/builders.ts'
import { onlyChange, planOf } from '../../support/planning.ts'

describe('what an interrupted rollout left', () => {
  it('D4 stays the rollout that was approved when only removals are left of it', () => {
    const before = desired({ tags: ['1', '1'] })
    const after = desired({ tags: ['1', '2'] })
    const between = live(desired({ tags: ['1', '2', '1'] }))
    const { action, stages } = onlyChange(planOf({ desired: after, live: between, applied: before }))
    expect([action, stages.flat().map(step => step.do)]).to.deep.equal([
      'replace',
      ['await-healthy', 'await-healthy', 'stop-container', 'remove-container'],
    ])
  })

  it('D9 is no drift while it was never whole, so that "drift: report" does not leave it half-made', () => {
    const wanted = desired({ name: 'web' })
    const halfMade = live(wanted)
    const stopped = {
      ...halfMade,
      containers: halfMade.containers.map(one => ({ ...one, state: 'created' as const })),
    }
    const { cause, held } = onlyChange(planOf({ desired: wanted, live: stopped, rules: { drift: 'report' } }))
    expect([cause, held]).to.deep.equal(['diverged', undefined])
  })
})
