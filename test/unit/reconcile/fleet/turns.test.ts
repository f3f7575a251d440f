import { expect } from 'chai'
import type { Stand } from '../../../../lib/fleet/spread/stand.ts'
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

const run = {
  ...{ id: 1, environment: 'prod', deployment: 'shop-everywhere', application: 'shop' },
  ...{ version: '1.0', content: 'c1', seed: 7, atMs: 0 },
}

/** A deployment to two sites whose last batch was `a`. */
function standing(wait: Stand['wait'], ...open: readonly string[]): DeploymentTurn {
  return {
    ...turn,
    sites: new Set(['a', 'b']),
    run: {
      of: run,
      stand: {
        open: new Set(open),
        reached: new Set(),
        had: new Set(),
        lost: new Set(),
        begun: new Set(),
        own: new Set(),
        recheck: new Map(),
        brokenMs: new Map(),
        ended: new Map(),
        hindered: new Map(),
        proving: new Map(),
        batches: [{ kind: 'batch', atMs: 1, sites: ['a'] }],
        wait,
      },
    },
  }
}

describe('what deployments mean for a site', () => {
  it('A20 A26 an application belongs to other sites where its deployment does not apply', () => {
    expect([...onSite([turn], 'a').elsewhere]).to.deep.equal([])
    expect([...onSite([turn], 'b').elsewhere]).to.deep.equal(['shop'])
  })

  it('G4 it is placed on sites that there are, or nowhere on purpose, and not where no site matches by mistake', () => {
    const placedOn = (one: DeploymentTurn) => [...onSite([one], 'b').placed]
    expect(placedOn(turn)).to.deep.equal(['shop'])
    const none = { ...turn, sites: new Set<string>() }
    expect(placedOn(none)).to.deep.equal([])
    const everySite = { kind: 'present', label: 'system/name' } as const
    const expression = { kind: 'not', of: everySite } as const
    const placement = { kind: 'match-site-labels', text: 'not system/name', expression } as const
    expect(placedOn({ ...none, deployment: { ...turn.deployment, placement } })).to.deep.equal(['shop'])
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
        placed: new Set(),
        joined: new Map(),
        awaited: new Map(),
        sameVersion: new Map(),
        ending: new Map(),
      })
  })

  it('A33 G13 says "here" of the site that failed, and names it on all others', () => {
    const failed = { kind: 'failed', atMs: 2, site: 'a', reason: 'it crashed' } as const
    const turns = [standing({ for: 'correction', failed })]
    const reasonOn = (site: string) => onSite(turns, site).awaited.get('shop')?.held.reason
    expect(reasonOn('a')).to.equal('the deployment shop-everywhere failed here')
    expect(reasonOn('b')).to.equal('the deployment shop-everywhere failed on a')
  })

  it('A33 a failure ends a deployment on the sites that try its version, and leaves others alone', () => {
    const endsOn = (one: DeploymentTurn) => ['a', 'b'].filter(site => onSite([one], site).ending.size > 0)
    const failed = { kind: 'failed', atMs: 2, site: 'a', reason: 'it crashed' } as const
    expect(endsOn(standing({ for: 'sites', sites: ['a'], sinceMs: 1 }, 'a'))).to.deep.equal(['a'])
    expect(endsOn(standing({ for: 'correction', failed }))).to.deep.equal(['a'])
    expect(endsOn(standing({ for: 'done', untilMs: 5 }, 'a', 'b'))).to.deep.equal(['a', 'b'])
    expect(endsOn(standing({ for: 'done' }, 'a', 'b'))).to.deep.equal([])
    expect(endsOn(turn)).to.deep.equal([])
  })
})
