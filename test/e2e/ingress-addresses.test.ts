import { expect } from 'chai'
import { ask } from '../support/requests.ts'
import { waitUntil } from '../support/wait-until.ts'
import { documentOf } from './document.ts'
import { createIngressScene, type WebApplication } from './ingress-scene.ts'

describe('an ingress with too few addresses for all gates', function () {
  this.timeout(240_000)

  it('D15 leaves out only the application that gets none, and joins it once there is room', async () => {
    // For the ingress itself, and for one gate.
    await using scene = await createIngressScene({ subnets: '10.206.0.0/25', hold: '100ms' })
    const { http: port, tallyman } = scene
    const web = (name: string): WebApplication => ({
      name,
      version: name,
      replicas: 1,
      routes: [{ host: `${name}.example` }],
    })
    const statusOf = async (name: string) => (await ask({ port, host: `${name}.example`, path: '/' })).status

    await scene.release(web('a'), web('b'))
    const planned = documentOf(await tallyman.run('plan', '--output', 'json'))
    expect(JSON.stringify(planned)).to.include('address-pool-small')
    const first = documentOf(await tallyman.run('apply', '--yes', '--output', 'json'))
    expect(JSON.stringify(first)).to.include('address-pool-empty')
    const [a, b] = [await statusOf('a'), await statusOf('b')]
    expect([a, b].toSorted()).to.deep.equal([200, 503])

    const left = a === 200 ? 'b' : 'a'
    await scene.release(web(left))
    await waitUntil('the other one is reached', async () => {
      await tallyman.run('apply', '--yes')
      return (await statusOf(left)) === 200
    })
    expect((await tallyman.run('plan', '--detailed-exitcode')).code).to.equal(0)
  })
})
