import { expect } from 'chai'
import { engineGet } from '../support/engine-call.ts'
import { type TestMachine, uniqueName } from '../support/env.ts'
import { execIn } from '../support/exec-in.ts'
import { pushImage } from '../support/images.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { swarmApart } from '../support/swarm-nodes.ts'
import type { Ground, Manifests } from './ground.ts'
import { type SimulatedMachine, simulatedMachine } from './simulated.ts'
import { type Scenario, type Side, surviveEvery } from './survive.ts'

const image = uniqueName('faults')

/**
 * Killed with SIGKILL before every step on a Swarm, which goes on without us: D4 no second question, G2 no service and
 * no task twice, G5 what fails is put back, H22 a hook runs once. Nothing is left that no service names.
 */
describe('a pass over a simulated Docker Swarm that is killed at any step', function () {
  this.timeout(600_000)
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
      await surviveAll(simulated, { after: web('1'), ends: 'done', networks: ['web'], next: 'fresh' }),
    ).to.deep.equal(['find-image', 'create-network', 'create-service', 'await-service'])
  })

  it('G5 of a replacement that fails puts back what ran, and tries it once', async () => {
    const moments = await surviveAll(simulated, {
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
    const moments = await surviveAll(simulated, {
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

/** A real one brings about what it was told while nobody looks, and its hooks are tasks of their own. */
describe('a pass over a real Docker Swarm that is killed at any step', function () {
  this.timeout(600_000)
  const machine = swarmApart()

  before(async () => {
    for (const tag of ['1', '2']) await pushImage(machine.registry, image, tag, { env: { TAG: tag } })
  })

  it('H22 of a replacement goes on, runs its hook once, and leaves nothing of that and no file of the old', async () => {
    const side = (tag: string): Side => ({
      ...web(tag, { pre: { failurePolicy: 'Abort', execNewPod: { containerName: 'web', ...note } } }),
      check: async ground => {
        await hasNoUnusedFiles(ground)
        const told = await notesOf(ground)
        expect(told, 'which hooks ran').to.deep.equal(told.map((_, at) => `${(at % 2) + 1}`))
        expect(told.at(-1), 'the last hook').to.equal(tag)
      },
    })
    const moments = await surviveAll(machine, {
      before: side('1'),
      after: side('2'),
      ends: 'done',
      networks: ['web'],
      next: 'back and forth',
      lanes: 2,
    })
    expect(moments).to.deep.equal([
      'find-image',
      'create-job',
      'run-to-end',
      'update-service',
      'await-service',
      'put-away',
      'forget-files',
    ])
  })

  const note = { command: ['sh', '-c'], args: ['echo $TAG >> /log/told'], volumes: ['log'] }

  async function notesOf(ground: Ground): Promise<readonly string[]> {
    const filters = {
      label: [`com.docker.swarm.service.name=${ground.environment}_web`],
      status: ['running'],
    }
    const path = `/containers/json?filters=${encodeURIComponent(JSON.stringify(filters))}`
    const [one]: readonly { readonly Id: string }[] = JSON.parse(
      JSON.stringify(await engineGet(machine.dockerSocket, path)),
    )
    if (one === undefined) throw new Error('one runs')
    return (await execIn(machine.dockerSocket, one.Id, 'cat /log/told')).trim().split('\n')
  }
})

/** Of its configs, none is left that no service names, now or in the specification before. */
async function hasNoUnusedFiles({ environment, socket }: Ground): Promise<void> {
  const own = async (path: string): Promise<readonly { readonly ID: string }[]> => {
    const filters = JSON.stringify({ label: [`tallyman.environment=${environment}`] })
    const all = await engineGet(socket, `${path}?filters=${encodeURIComponent(filters)}`)
    return JSON.parse(JSON.stringify(all))
  }
  const named = JSON.stringify(await own('/services'))
  const unused = (await own('/configs')).filter(
    config => JSON.stringify(config).includes('tallyman.service') && !named.includes(config.ID),
  )
  expect(unused, 'files that no service names').to.deep.equal([])
}

/** Its steps in their order, without what they are about. */
async function surviveAll(
  machine: TestMachine,
  scenario: Omit<Scenario, 'when' | 'kind'>,
): Promise<readonly string[]> {
  const moments = await surviveEvery('step', machine, {
    kind: 'swarm',
    startedAgain: 'here',
    when: ['before'],
    lanes: 1,
    ...scenario,
  })
  return moments.toSorted().map(moment => moment.replace(/^before \d+ (\S+).*/, '$1'))
}

/** One task with a file that says which version it is of. */
function web(tag: string, hooks: object = {}): Side & { readonly manifests: Manifests } {
  const files = [{ name: 'version', 'mount-path': '/etc/version' }]
  const mounts = [
    { 'volume-name': 'conf', files },
    { 'volume-name': 'log', 'mount-path': '/log' },
  ]
  const service = {
    name: 'web',
    containers: [{ name: 'web', image, mounts }],
    volumes: [
      { name: 'conf', 'config-map': { items: [{ name: 'version', data: tag }] } },
      { name: 'log', 'persistent-volume': {} },
    ],
    strategy: { type: 'RollingUpdate', rollingUpdate: hooks },
  }
  return {
    manifests: {
      services: [{ name: 'web', containers: [{ dockerName: image, dockerTag: tag }] }],
      applications: { web: { services: [service] } },
    },
    containers: [`web ${image}:${tag} running`],
    check: hasNoUnusedFiles,
  }
}
