import { expect } from 'chai'
import { madeBy } from '../../../../lib/plan/change/made-instances.ts'
import { desired, live } from '../../../support/builders/builders.ts'
import { onlyChange, planOf } from '../../../support/builders/planning.ts'

describe('the instances that a change makes', () => {
  it('G7 are told in the order of their numbers, in whatever order they are made', () => {
    const { stages } = onlyChange(planOf({ desired: desired({ name: 'web', replicas: 3 }), live: live() }))
    const backwards = stages.map(stage => stage.toReversed()).toReversed()
    expect(madeBy({ stages: backwards }).map(({ number }) => number)).to.deep.equal([1, 2, 3])
  })
})

describe('the warnings of what is wanted', () => {
  it('G7 are warnings of the plan', () => {
    const warning = { code: 'environment-name-taken', message: 'another repository has the name' } as const
    const wanted = { ...desired({ name: 'web' }), warnings: [warning] }
    expect(planOf({ desired: wanted, live: live() }).warnings).to.deep.equal([warning])
  })
})
