import { expect } from 'chai'
import { ingressName } from '../../../../lib/state/application/ingress/route.ts'
import type { StatusDocument } from '../../../support/command/tallyman.ts'
import type { Files } from '../../../support/git/repository.ts'
import { caddy } from '../../../support/simulated/caddy.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'

const sites = ['north', 'south', 'tower']
const edges = 'system/type = edge'
const towers = 'system/type = control-tower'

/** An application with a port of the host and the route / for whatever host, where its deployment says. */
function application(name: string, version: string, expression: string): Files {
  return {
    [`applications/${name}.yaml`]: `
name: ${name}
version: ${version}
services:
  - name: ${name}
    ingress:
      - port: 8000
    containers:
      - name: app
        image: registry.example.com/${name}:${version}
        ports:
          - "9000:9000"
`,
    [`deployments/${name}.yaml`]: `
name: ${name}
application: ${name}
placement:
  match-site-labels: ${expression}
`,
  }
}

async function fleet(): Promise<SimulatedScene> {
  const scene = await simulatedScene({
    sites,
    siteConfig: { tower: { labels: { 'system/type': 'control-tower' } } },
    config: { ingress: { image: 'registry.example.com/caddy:2' } },
  })
  scene.registry.push('caddy', '2', caddy)
  for (const name of ['shop', 'board']) for (const version of ['1', '2']) scene.registry.push(name, version)
  return scene
}

/** What runs on each site beside the ingress, by image. */
const runs = (scene: SimulatedScene) =>
  sites.map(site =>
    scene
      .has(site)
      .filter(line => !line.startsWith(ingressName))
      .map(line => line.replace(/^.*\.com\/(.*) running.*$/, '$1')),
  )

const manifest = { skipConfirmation: true, services: [{ name: 'shop' }, { name: 'board' }] }

/** Waits until this commit was carried out as far as it can be, and tells what is wrong in it. */
async function carriedOut(scene: SimulatedScene, commit: string, isDone: (seen: StatusDocument) => boolean) {
  const { errors } = await scene.until(
    'it is carried out',
    seen => seen.revision?.commit === commit && isDone(seen),
  )
  return errors.map(({ message }) => message)
}

const isSynced = ({ sync }: StatusDocument) => sync === 'Synced'
const isBlocked = ({ errors }: StatusDocument) => errors.length > 0

describe('two applications with one port and one route on different sites', () => {
  it('D19 A20 P33 both run, are left as they are while they would meet, and go on once that is corrected', async () => {
    await using scene = await fleet()
    const shop = application('shop', '1', edges)
    const first = await scene.commit(manifest, { ...shop, ...application('board', '1', towers) })
    expect(await carriedOut(scene, first, isSynced)).to.deep.equal([])
    const before = [['shop:1'], ['shop:1'], ['board:1']]
    expect(runs(scene)).to.deep.equal(before)

    const meeting = `${towers} or system/name = south`
    const second = await scene.commit(manifest, application('board', '2', meeting))
    expect((await carriedOut(scene, second, isBlocked)).sort()).to.deep.equal([
      'applications/board.yaml:12:13: board claims host port 9000, which shop (applications/shop.yaml:12) claims on south, too',
      'applications/board.yaml:7:9: board claims */, which shop (applications/shop.yaml:7) claims on south, too',
      'applications/shop.yaml:7:9: shop claims */, which board (applications/board.yaml:7) claims on south, too',
    ])
    expect(runs(scene)).to.deep.equal(before)

    const third = await scene.commit(manifest, application('board', '2', towers))
    expect(await carriedOut(scene, third, isSynced)).to.deep.equal([])
    expect(runs(scene)).to.deep.equal([['shop:1'], ['shop:1'], ['board:2']])
  })
})
