import { expect } from 'chai'
import { sideBySide } from '../support/suite/side-by-side.ts'
import { hasNoUnusedFiles, image, surviveEveryStep, web } from './pass/on-swarm.ts'
import { type SimulatedMachine, simulatedMachine } from './pass/simulated.ts'

/**
 * Killed with SIGKILL before every step on a Swarm, which goes on without us: D4 no second question, G2 no service and
 * no task twice, G5 what fails is put back, H22 a hook runs once. Nothing is left that no service names.
 */
describe('a pass over a simulated Docker Swarm that is killed at any step', () => {
  const it = sideBySide(2)
  let simulated: SimulatedMachine

  before(async () => {
    simulated = await simulatedMachine()
    for (const tag of ['1', 'bad']) simulated.push(image, tag, { env: { TAG: tag } })
    simulated.engine.beginSwarm().fate = ({ Labels }) =>
      Labels?.['tallyman.image']?.endsWith(':bad')
        ? { State: 'failed', Err: 'task: non-zero exit (3)' }
        : { State: 'running' }
  })

  after(() => simulated[Symbol.asyncDispose]())

  it('of a create goes on, and makes network, file and service exactly once', async () => {
    expect(
      await surviveEveryStep(simulated, { after: web('1'), ends: 'done', networks: ['web'], next: 'fresh' }),
    ).to.deep.equal(['find-image', 'create-network', 'create-service', 'await-service'])
  })

  it('G5 of a replacement that fails puts back what ran, and tries it once', async () => {
    const moments = await surviveEveryStep(simulated, {
      before: web('1'),
      after: web('bad'),
      ends: 'put back',
      networks: ['web'],
      next: 'again',
    })
    expect(moments).to.deep.equal([
      'find-image',
      'update-service',
      'await-service',
      'restore-service',
      'await-service',
    ])
  })

  it('of a remove goes on, and leaves the others, and neither network nor file behind', async () => {
    const rest = { services: [{ name: 'api', containers: [{ dockerName: image, dockerTag: '1' }] }] }
    const { services, applications = {} } = web('1').manifests
    const moments = await surviveEveryStep(simulated, {
      before: {
        manifests: { services: [...rest.services, ...services], applications },
        containers: [`api ${image}:1 running`, `web ${image}:1 running`],
      },
      after: { manifests: rest, containers: [`api ${image}:1 running`], check: hasNoUnusedFiles },
      ends: 'done',
      networks: ['_default'],
      next: 'fresh',
    })
    expect(moments).to.deep.equal(['remove-service', 'forget-files', 'remove-network'])
  })
})
