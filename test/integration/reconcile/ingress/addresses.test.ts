import { expect } from 'chai'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { caddy } from '../../../support/simulated/caddy.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene } from '../scene.ts'
import { type Routed, release, served } from './routed.ts'

const web = (name: string): Routed => ({ name, routes: [{ host: `${name}.example` }] })

describe('an ingress with too few addresses for all gates', () => {
  it('D15 leaves out only the application that gets none, and joins it once there is room', async () => {
    // For the ingress itself, and for one gate.
    const config = (prefix: string) => ({
      ingress: { image: `${prefix}/caddy:2`, subnets: '10.206.0.0/25', hold: '100ms' },
    })
    await using scene = await createScene({ config })
    const { tallyman } = scene
    scene.push('caddy', '2', caddy)
    scene.push('app', '1')

    await release(scene, web('a'), web('b'))
    const planned = documentOf(await tallyman.run('plan', '--output', 'json'))
    expect(JSON.stringify(planned)).to.include('address-pool-small')
    const first = documentOf(await tallyman.run('apply', '--yes', '--output', 'json'))
    expect(JSON.stringify(first)).to.include('address-pool-empty')
    const [only = '', ...others] = served(scene)
    expect(['a', 'b']).to.include(only)
    expect(others).to.deep.equal([])

    const left = only === 'a' ? 'b' : 'a'
    await release(scene, web(left))
    await waitUntil('the other one is reached', async () => {
      await tallyman.run('apply', '--yes')
      return String(served(scene)) === left
    })
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
