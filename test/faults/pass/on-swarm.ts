import { expect } from 'chai'
import { engineGet } from '../../support/engine/engine-call.ts'
import { type TestMachine, uniqueName } from '../../support/suite/env.ts'
import type { Ground, Manifests } from './ground.ts'
import { type Scenario, type Side, surviveEvery } from './survive.ts'

/** What the tasks of these tests run. */
export const image = uniqueName('faults')

/** Of its configs, none is left that no service names, now or in the specification before. */
export async function hasNoUnusedFiles({ environment, socket }: Ground): Promise<void> {
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

/** Kills a pass over a Swarm before every step. Returns its steps in their order, without what they are about. */
export async function surviveEveryStep(
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
export function web(tag: string, hooks: object = {}): Side & { readonly manifests: Manifests } {
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
