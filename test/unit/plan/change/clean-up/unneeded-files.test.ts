import { expect } from 'chai'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { renderPlan } from '../../../../../lib/plan/text/render.ts'
import { desired, live } from '../../../../support/builders/builders.ts'
import { onlyChange, planOf } from '../../../../support/builders/planning.ts'

describe('configs and secrets that no service of a Swarm needs', () => {
  const [one, two] = [desired({ tag: '1' }), desired({ tag: '2' })]
  const left = { unneededFiles: ['prod-0123456789abcdef'] }

  it('G15 G16 go once nothing else is to be done, without a word of anybody', () => {
    const plan = planOf({ desired: one, live: live(one), applied: one, ...left })
    expect(printed(renderPlan(plan), false).replace(plan.id, 'ID').split('\n')).to.deep.equal([
      'Plan ID for prod at c0ffee000000 "Ship it" by Ann',
      '',
      'unneeded files',
      '    - file prod-0123456789abcdef  no service needs it',
      '',
      'Plan: 0 to create, 0 to replace, 1 to remove.',
      '',
    ])
    expect(onlyChange(plan).cause).to.equal('unneeded')
  })

  it('G15 G2 stay while a rollout is to be done, which removes them itself, and are none where there are none', () => {
    const { service } = onlyChange(planOf({ desired: two, live: live(one), applied: one, ...left }))
    expect(service).to.equal('web')
    expect(planOf({ desired: one, live: live(one), applied: one }).changes).to.deep.equal([])
  })
})
