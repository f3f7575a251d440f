import { expect } from 'chai'
import { expectCode } from '../scenes/plan-document.ts'
import { createScene, service } from '../scenes/scene.ts'
import { beginSwarm, startSwarmEngine } from '../support/swarm.ts'

describe('an engine that is in no Swarm yet, as a site of that kind', () => {
  it('G13 that is no manager is a clear state, and is looked at again once it is one', async () => {
    await using engine = await startSwarmEngine()
    const site = { name: 'cluster', endpoint: `unix://${engine.socket}`, kind: 'swarm' }
    await using scene = await createScene({
      dockerSocket: engine.socket,
      // The kernel of this machine may have no IPVS, which virtual addresses and the routing mesh need.
      config: { sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }] },
    })
    const { tallyman } = scene
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const refused = await tallyman.run('plan')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('cluster: it is no manager of a Swarm (swarm-unavailable)')
    await beginSwarm(engine.socket)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 2)
  })
})
