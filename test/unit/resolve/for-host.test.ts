import { expect } from 'chai'
import { forHost } from '../../../lib/resolve/for-host.ts'
import { warningsOnSites } from '../../../lib/validate/on-sites.ts'
import { desired } from '../../support/builders.ts'

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
})
