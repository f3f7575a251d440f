import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { DeploymentStatus } from '../../../../lib/reconcile/status/deployment/deployment-status.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'

const fixture = (path: string) =>
  readFile(new URL(`../../../../fixtures/ticket-deployment/${path}`, import.meta.url), 'utf8')

const application = 'applications/ticket-manager.yaml'
const deployment = 'deployments/ticket-deployment.yaml'
const image = 'avassa-public/movie-theaters-demo/ticket-blipper'
const stores = ['austin', 'berlin', 'lisbon', 'oslo', 'stockholm']
/** To what the 15 minutes of the example are cut. */
const healthyMs = 300

/** Five stores, which are edge sites because nothing else is said, and two sites that are something else. */
async function fleet(): Promise<SimulatedScene> {
  const scene = await simulatedScene({
    sites: [...stores, 'office', 'cloud'],
    siteConfig: {
      office: { labels: { 'system/type': 'control-tower' } },
      cloud: { labels: { 'system/type': 'Edge', region: 'edge' } },
    },
    // That is what an image without a registry means in a specification.
    registryHost: 'docker.io',
    config: { longestHealthyTime: `${healthyMs}ms` },
  })
  for (const tag of ['v1.0', 'v1.1']) scene.registry.push(image, tag)
  return scene
}

/** Waits until the deployment has brought a version everywhere, and returns its batches. */
async function batches(scene: SimulatedScene, version: string): Promise<DeploymentStatus['batches']> {
  const isDone = (one: DeploymentStatus | undefined) => one?.version === version && one.state === 'done'
  const { deployments } = await scene.until(`${version} is everywhere`, status =>
    isDone(status.deployments?.[0]),
  )
  return deployments?.[0]?.batches ?? []
}

const runs = (scene: SimulatedScene) =>
  Object.fromEntries([...stores, 'office', 'cloud'].map(site => [site, scene.has(site)]))

describe('the two example files of the applications document', () => {
  const it = sideBySide()

  it('A20 A24 A32 run on the edge sites alone, on two at a time, with the healthy time in between', async () => {
    await using scene = await fleet()
    const files = { [application]: await fixture(application), [deployment]: await fixture(deployment) }
    await scene.commit({ skipConfirmation: true }, files)
    const first = await batches(scene, '1.0')
    const line = (tag: string) => [`ticket-manager-service.1 docker.io/${image}:${tag} running`]
    const everywhere = (tag: string) =>
      Object.fromEntries([...stores.map(site => [site, line(tag)]), ['office', []], ['cloud', []]])
    expect(runs(scene)).to.deep.equal(everywhere('v1.0'))
    expectTwoAtATime(first)

    const next = (await fixture(application))
      .replace('version: "1.0"', 'version: "1.1"')
      .replace(':v1.0', ':v1.1')
    await scene.commit({ skipConfirmation: true }, { [application]: next })
    expectTwoAtATime(await batches(scene, '1.1'))
    expect(runs(scene)).to.deep.equal(everywhere('v1.1'))
  })
})

function expectTwoAtATime(drawn: DeploymentStatus['batches']): void {
  expect(drawn.map(({ sites }) => sites.length)).to.deep.equal([2, 2, 1])
  expect(drawn.flatMap(({ sites }) => sites.map(({ site }) => site)).sort()).to.deep.equal(stores)
  const times = drawn.map(({ at }) => Date.parse(at))
  const between = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  for (const passed of between) expect(passed).to.be.at.least(healthyMs)
}
