import { expect } from 'chai'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { renderPlan } from '../../../../../lib/plan/text/render.ts'
import { desired, live } from '../../../../support/builders/builders.ts'
import { onlyChange, planOf } from '../../../../support/builders/planning.ts'

describe('ephemeral volumes whose containers somebody removed', () => {
  const wanted = desired({ tag: '1' })
  const leftOver = [
    { name: 'prod.pod.1.0a1b2c3d.cache', instance: 'prod.pod.1.0a1b2c3d' },
    { name: '24d2e8fac463ef5a'.repeat(4), instance: 'prod.web.1.57850003' },
  ]

  it('A48 G13 G16 go without a word of anybody, and the plan says whose they were', () => {
    const plan = planOf({ desired: wanted, live: live(wanted), applied: wanted, leftOver })
    expect(printed(renderPlan(plan), false).replace(plan.id, 'ID').split('\n')).to.deep.equal([
      'Plan ID for prod at c0ffee000000 "Ship it" by Ann',
      '',
      'unneeded volumes',
      '    - volume prod.pod.1.0a1b2c3d.cache  prod.pod.1.0a1b2c3d, which had it, is gone',
      '    - volume 24d2e8fac463  prod.web.1.57850003, which had it, is gone',
      '',
      'Plan: 0 to create, 0 to replace, 2 to remove.',
      '',
    ])
    expect(onlyChange(plan)).to.include({ cause: 'unneeded', action: 'remove' })
  })
})
