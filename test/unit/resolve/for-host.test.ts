import { expect } from 'chai'
import { forHost } from '../../../lib/resolve/for-host.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { type SiteKinds, warningsOnSites } from '../../../lib/validate/on-sites.ts'
import { desired } from '../../support/builders/builders.ts'

const swarm = { endpoint: 'vip', publish: 'ingress' } as const

describe('what is wanted of a host beside a Swarm', () => {
  it('G1 D15 blocks an application that publishes one port for several instances, and no other', () => {
    const state = desired({ replicas: 3, hostPort: 80 }, { name: 'fine', hostPort: 81 })
    const { applications, blocked } = forHost(state)
    expect(applications.map(({ name }) => name)).to.deep.equal(['fine'])
    expect(blocked.map(({ application, problems }) => [application, problems[0].message])).to.deep.equal([
      ['web', 'web: replicas of web is 3, but only one instance can publish host port 80'],
    ])
  })

  it('D7 blocks one that would publish it for an old and a new instance side by side', () => {
    const strategy = { type: 'rolling', maxSurge: 1 } as const
    expect(forHost(desired({ hostPort: 80, strategy })).blocked[0]?.problems[0].message).to.equal(
      'web: strategy of web is RollingUpdate, but only one instance can publish host port 80; set maxSurge 0 or Recreate',
    )
  })

  it('is the same value where nothing is to be said', () => {
    const state = desired({ hostPort: 80 })
    expect(forHost(state)).to.equal(state)
  })

  it('is told by validate for each host beside a Swarm, and for none where there is no Swarm', () => {
    const state = desired({ replicas: 3, hostPort: 80 })
    const on = (...kinds: readonly (readonly [string, 'host' | typeof swarm])[]) =>
      warningsOnSites(state, new Map(kinds)).map(({ message }) => message)
    expect(on(['one', 'host'], ['many', swarm])).to.deep.equal([
      'on one, web: replicas of web is 3, but only one instance can publish host port 80',
    ])
    expect(on(['one', 'host']), 'its file was refused when it was read').to.deep.equal([])
  })

  it('A20 is told by validate for no host that its deployment does not mean', () => {
    const expression = { kind: 'equal', label: 'system/type', value: 'edge' } as const
    const placement = { kind: 'match-site-labels', expression, text: 'system/type = edge' } as const
    const deployment = { name: 'web', application: 'web', placement, healthyMs: 0, revision: 'r' }
    const state = { ...desired({ replicas: 3, hostPort: 80 }), deployments: [deployment] }
    const kinds: SiteKinds = new Map<string, 'host' | typeof swarm>([
      ['one', 'host'],
      ['many', swarm],
    ])
    const told = (type: string) =>
      warningsOnSites(state, kinds, new Map([['one', labelsOf([['system/type', type]])]])).length
    expect([told('edge'), told('cluster')]).to.deep.equal([1, 0])
  })
})
