import { expect } from 'chai'
import { stringify } from 'yaml'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { staysUp } from '../../../support/simulated/container/programs.ts'
import type { Behaviour } from '../../../support/simulated/image/registry.ts'
import { type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** A Pallet application whose deploy lasts until somebody kills it, and succeeds then. */
const behaves: Behaviour = { programs: { 'run-phase': () => staysUp() } }

async function started(): Promise<SimulatedScene> {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(await simulatedScene({ sites: ['a', 'b'] }))
  for (const tag of ['1', '2'])
    scene.registry.push('blog', tag, { behaves, entrypoint: ['/run-phase'], cmd: ['serve'] })
  stack.move()
  return scene
}

function commit(scene: SimulatedScene, tag: string): Promise<string> {
  const services = [
    {
      name: 'web',
      pallet: { domain: 'blog.example.com', environment: 'test' },
      containers: [{ name: 'app', image: `registry.example.com/blog:${tag}` }],
    },
  ]
  return scene.commit(
    { services: [{ name: 'blog' }], skipConfirmation: true },
    { 'applications/blog.yaml': stringify({ name: 'blog', version: tag, services }) },
  )
}

/** The deploys on a site: `1 running`. */
const deploysOn = (scene: SimulatedScene, site: string) =>
  scene
    .site(site)
    .containers()
    .filter(({ config: { Labels } }) => Labels['tallyman.role'] === 'deploy')
    .map(({ config: { Labels }, state }) => `${Labels['tallyman.version']} ${state.status}`)
    .join()

/** Ends the deploy on a site. */
async function endDeploy(scene: SimulatedScene, site: string): Promise<void> {
  const running = scene
    .site(site)
    .containers()
    .filter(
      ({ config: { Labels }, state }) => Labels['tallyman.role'] === 'deploy' && state.status === 'running',
    )
  for (const { id } of running) await engineCall(scene.site(site).socket, 'POST', `/containers/${id}/stop`)
}

describe('deploys of a Pallet application on two sites', () => {
  it('P5 run at the same time where they are of one version; that of the next one waits until all of them have ended', async () => {
    await using scene = await started()
    const are = (a: string, b: string) =>
      waitUntil(`${a} and ${b}`, async () => deploysOn(scene, 'a') === a && deploysOn(scene, 'b') === b)
    await commit(scene, '1')
    await are('1 running', '1 running')
    await commit(scene, '2')
    await endDeploy(scene, 'a')
    await are('2 created', '1 running')
    await waitUntil('it is told', async () => {
      const [{ running }] = await scene.ask('GET /api/v1/environments')
      return running?.note === 'waits until the deploy of another version on b has ended'
    })
    expect(deploysOn(scene, 'a')).to.equal('2 created')
    await endDeploy(scene, 'b')
    await are('2 running', '2 running')
  })

  it('P5 P7 go on after Tallyman was started anew while they ran', async () => {
    await using scene = await started()
    const are = (both: string) =>
      waitUntil(both, async () => ['a', 'b'].every(site => deploysOn(scene, site) === both))
    await commit(scene, '1')
    await are('1 running')
    await scene.restart()
    await waitUntil('both are gone on with', async () => {
      const [{ running }] = await scene.ask('GET /api/v1/environments')
      return running?.changes.length === 2
    })
    for (const site of ['a', 'b']) await endDeploy(scene, site)
    await scene.until('both serve it', ({ applications }) =>
      applications.every(({ sync, health }) => sync === 'Synced' && health === 'Healthy'),
    )
  })
})
