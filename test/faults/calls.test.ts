import { expect } from 'chai'
import { staysUp } from '../support/images/images.ts'
import { caddy } from '../support/simulated/caddy.ts'
import type { Container } from '../support/simulated/container/container.ts'
import { sideBySide } from '../support/suite/side-by-side.ts'
import { type Ground, type Manifests, prepareGround } from './pass/ground.ts'
import { type SimulatedMachine, simulatedMachine } from './pass/simulated.ts'

/**
 * Every step is several calls of an engine. A pass that ends between two of them may leave a container that exists, and
 * into which not everything was put: G15 nothing ever runs without that.
 */
describe('a pass that is killed or cut off after any call that makes a container or puts something into one', () => {
  const it = sideBySide(2)

  for (const lane of [0, 1])
    it(`G15 D4 goes on and puts into everything what belongs there (${lane === 0 ? 'even' : 'odd'} calls)`, () =>
      goesOnAfterEvery(lane, 2))
})

/** Runs a pass that ends right after the call of that number. Returns whether there was such a call. */
type BreakOff = (ground: Ground, machine: SimulatedMachine, index: number) => Promise<boolean>

const killed: BreakOff = async (ground, { engine }, index) => {
  let isKilled = false
  const met = new Promise<void>(resolve => {
    const heldUntil = () => {
      isKilled = true
      resolve()
      return new Promise<void>(() => undefined)
    }
    engine.faults.set(changes, { heldUntil }, 1, index)
  })
  await ground.crash(met)
  return isKilled
}

const cutOff: BreakOff = async (ground, { engine }, index) => {
  engine.forgetCalls()
  const end = engine.faults.set(changes, 'dies', 1, index)
  await ground.look('apply')
  end()
  return engine.calls.filter(call => changes.test(call)).length > index
}

const changes = /^(POST \/containers\/create$|PUT )/

/** Tries every so many calls from the first one on, and lets the process die and the connection break in turn. */
async function goesOnAfterEvery(first: number, step: number): Promise<void> {
  await using machine = await preparedMachine()
  let whole: readonly string[] = []
  // What is told of an image says more once the engine has it.
  for (const _ of ['pulls the images', 'has them']) {
    await using ground = await prepareGround(machine, { config })
    await ground.write(manifests(machine.registry.host))
    const { outcome, errors } = await ground.look('apply')
    expect(outcome, errors.map(({ message }) => message).join('; ')).to.equal('applied')
    whole = contentsOf(machine, ground)
  }
  expect(whole.map(text => text.replace(/: .*/, ''))).to.deep.equal([
    'shop/main app running',
    'tallyman-ingress/tallyman-ingress app running',
    'tallyman-metadata/tallyman-metadata app running',
    'worker/main app running',
    'worker/sandbox sandbox running',
  ])
  let index = first
  for (let goesOn = true; goesOn; index += step) {
    await using ground = await prepareGround(machine, { config })
    await ground.write(manifests(machine.registry.host))
    const breakOff = index % (2 * step) < step ? killed : cutOff
    goesOn = await breakOff(ground, machine, index)
    const { outcome, errors } = await ground.look('apply')
    const words = `${index}: ${errors.map(({ message }) => message).join('; ')}`
    expect(['applied', 'in-sync'], words).to.include(outcome)
    expect(contentsOf(machine, ground), words).to.deep.equal(whole)
    expect((await ground.look('plan')).plan?.changes, words).to.deep.equal([])
  }
  expect(index).to.be.greaterThan(12)
}

async function preparedMachine(): Promise<SimulatedMachine> {
  const machine = await simulatedMachine()
  for (const name of ['tools', 'sandbox']) machine.push(name, '1')
  machine.push('tallyman', '1', { entrypoint: staysUp })
  machine.push('caddy', '2', caddy)
  return machine
}

/** Something of every kind that is put into containers: files, the key of signatures, what pods are told. */
const manifests = (registry: string): Manifests => ({
  services: [{ name: 'shop' }, { name: 'worker' }],
  applications: {
    shop: {
      services: [
        {
          name: 'shop',
          ingress: [{ host: 'shop.example', port: 8000, tls: 'off' }],
          volumes: [{ name: 'settings', 'config-map': { items: [{ name: 'mode', data: 'fast' }] } }],
          containers: [
            {
              name: 'main',
              image: `${registry}/tools:1`,
              mounts: [{ 'volume-name': 'settings', 'mount-path': '/etc/shop' }],
            },
          ],
        },
      ],
    },
    worker: {
      acVersion: '0.8.11',
      acKind: 'PodManifest',
      apps: [
        {
          name: 'main',
          image: { name: 'tools', labels: [{ name: 'version', value: '1' }] },
          app: {
            exec: ['sleep', '100000'],
            ...{ user: '0', group: '0' },
          },
          mounts: [{ volume: 'cache', path: '/cache' }],
        },
      ],
      volumes: [{ name: 'cache', kind: 'empty', mode: '0750', uid: 1000, gid: 1000 }],
    },
  },
})

function config(registry: string): object {
  return {
    sandbox: { image: `${registry}/sandbox:1` },
    metadata: { image: `${registry}/tallyman:1` },
    ingress: { image: `${registry}/caddy:2`, hold: '1ms' },
  }
}

/** The containers of an environment, with every file that is in them and its size, without the names that chance gives. */
function contentsOf({ engine }: SimulatedMachine, { environment }: Ground): readonly string[] {
  return engine
    .containers()
    .filter(({ config: { Labels } }) => Labels['tallyman.environment'] === environment)
    .map(contentOf)
    .toSorted()
}

function contentOf({ config: { Labels }, state, files }: Container): string {
  const inside = files.below('/').flatMap(path => {
    const entry = files.at(path)
    const name = path.replace(/[0-9a-f]{64}/, 'token')
    // Of a pod that is gone, an empty file and its place in a list may be left until the next one is made.
    const isLeft = entry?.kind === 'file' && name !== path && entry.content.length === 0
    if (isLeft || path.includes('/known/')) return []
    const whose = `${entry?.uid}:${entry?.gid}`
    return entry?.kind === 'file' ? [`${name} ${whose} ${entry.content.length}`] : [`${name} ${whose}`]
  })
  const [service, container, role] = ['service', 'container', 'role'].map(name => Labels[`tallyman.${name}`])
  return `${service}/${container} ${role} ${state.status}: ${inside.join(', ')}`
}
