import { expect } from 'chai'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import { caddy } from '../../../support/simulated/caddy.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'

const specification = (version: string) => `
name: shop
version: ${version}
services:
  - name: web
    ingress:
      - host: shop.example
        port: 8000
    containers:
      - name: app
        image: registry.example.com/shop:${version}
`

const isSynced = ({ sync, applications }: StatusDocument) => sync === 'Synced' && applications.length > 0

/** Who is reached on the gate of the application, by image. */
function admitted(scene: SimulatedScene, site: string): readonly string[] {
  return scene
    .site(site)
    .containers()
    .filter(({ endpoints, state }) =>
      [...endpoints.values()].some(
        ({ aliases, network }) =>
          network?.isInternal === true && state.status === 'running' && (aliases ?? []).length > 1,
      ),
    )
    .map(({ config }) => config.Labels['tallyman.image'] ?? '')
}

describe('an ingress on two sites', () => {
  it('P12 gives requests to the new version on both, and to nobody else', async () => {
    const ingress = { image: 'registry.example.com/caddy:2' }
    await using scene = await simulatedScene({ sites: ['east', 'west'], config: { ingress } })
    scene.registry.push('caddy', '2', caddy)
    for (const version of ['1.0.0', '2.0.0']) scene.registry.push('shop', version)
    const manifest = { services: [{ name: 'shop' }], skipConfirmation: true }
    await scene.commit(manifest, { 'applications/shop.yaml': specification('1.0.0') })
    await scene.until('it runs', isSynced)
    const first = ['registry.example.com/shop:1.0.0']
    expect([admitted(scene, 'east'), admitted(scene, 'west')]).to.deep.equal([first, first])
    const second = { 'applications/shop.yaml': specification('2.0.0') }
    const commit = await scene.commit(manifest, second)
    await scene.until('it is replaced', status => isSynced(status) && status.revision?.commit === commit)
    const next = ['registry.example.com/shop:2.0.0']
    expect([admitted(scene, 'east'), admitted(scene, 'west')]).to.deep.equal([next, next])
  })
})
