import { expect } from 'chai'
import { planJson } from '../../../../lib/plan/text/json.ts'
import { desired, digest, live } from '../../../support/builders/builders.ts'
import { madeFrom, onlyChange, planOf } from '../../../support/builders/planning.ts'

describe('the JSON of a plan', () => {
  it('G7 has the fields of the interface', () => {
    const before = desired({ tag: '1' })
    const after = desired({ tag: '2' })
    const plan = planOf({
      desired: after,
      live: live(before),
      applied: before,
      specificationOf: madeFrom(before),
    })
    const create = onlyChange(plan).stages.flat()[0]
    const old = live(before).containers[0]?.engineName
    const young = create?.do === 'create-container' ? create.container : ''
    expect(JSON.parse(JSON.stringify(planJson(plan, true, 'OutOfSync')))).to.deep.equal({
      id: plan.id,
      environment: 'prod',
      revision: after.revision,
      sync: 'OutOfSync',
      needsConfirmation: true,
      warnings: [],
      changes: [
        {
          site: 'local',
          application: 'web',
          service: 'web',
          instances: 1,
          action: 'replace',
          cause: 'diverged',
          reason: 'image',
          fields: [
            {
              path: 'web/image',
              from: `example.com/web:1@${digest('1')}`,
              to: `example.com/web:2@${digest('2')}`,
              touches: 'image',
            },
          ],
          strategy: 'rolling',
          strategyReason: 'nothing is exclusive',
          downtime: false,
          pulls: [`example.com/web:2@${digest('2')}`],
          steps: [
            `pull-image example.com/web:2@${digest('2')}`,
            `create-container ${young}`,
            `start-container ${young}`,
            `await-healthy ${young}`,
            `stop-container ${old}`,
            `remove-container ${old}`,
          ],
          undo: [`start-container ${old}`, `await-healthy ${old}`, `remove-container ${young}`],
        },
      ],
    })
  })
})
