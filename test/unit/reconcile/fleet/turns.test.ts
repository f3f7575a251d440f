import { expect } from 'chai'
import { type DeploymentTurn, onSite } from '../../../../lib/reconcile/fleet/turns.ts'

const turn: DeploymentTurn = {
  deployment: {
    name: 'shop-everywhere',
    application: 'shop',
    placement: { kind: 'all-sites' },
    healthyMs: 0,
    revision: 'r1',
  },
  sites: new Set(['a']),
}

describe('what deployments mean for a site', () => {
  it('A20 A26 an application belongs to other sites where its deployment does not apply', () => {
    expect([...onSite([turn], 'a').elsewhere]).to.deep.equal([])
    expect([...onSite([turn], 'b').elsewhere]).to.deep.equal(['shop'])
  })

  it('D15 an application whose deployment is refused belongs to other sites nowhere: nothing of it is touched', () => {
    const problem = {
      code: 'deployment-refused',
      message: 'the deployment shop-everywhere is wrong',
    } as const
    const refused = { ...turn, refused: problem }
    for (const site of ['a', 'b'])
      expect(onSite([refused], site)).to.deep.equal({
        refused: [{ application: 'shop', problems: [problem] }],
        elsewhere: new Set(),
        awaited: new Map(),
      })
  })
})
