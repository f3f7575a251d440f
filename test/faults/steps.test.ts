import { expect } from 'chai'
import { exits, pushImage } from '../support/images/images.ts'
import { testMachine, uniqueName } from '../support/suite/env.ts'
import { sideBySide } from '../support/suite/side-by-side.ts'
import type { Manifests } from './pass/ground.ts'
import { type SimulatedMachine, simulatedMachine } from './pass/simulated.ts'
import { type Scenario, type Side, surviveEvery } from './pass/survive.ts'

/**
 * Killed with SIGKILL before every step, and after it where others run beside it, and started again: D4 no second
 * question, G2 no duplicate and no orphan, G5 what fails is put back, G25 nothing lost in the journal.
 */
describe('a pass that is killed at any step', () => {
  const it = sideBySide(2)
  let simulated: SimulatedMachine
  const image = uniqueName('faults')
  const one = { dockerName: image, dockerTag: '1' }
  const two = { dockerName: image, dockerTag: '2' }
  const broken = { dockerName: image, dockerTag: 'broken' }

  before(async () => {
    simulated = await simulatedMachine()
    for (const tag of ['1', '2', '3']) simulated.push(image, tag, { env: { TAG: tag } })
    simulated.push(image, 'bad', { cmd: exits(1) })
    simulated.push(image, 'broken', { cmd: ['/no/such/program'] })
  })

  after(() => simulated[Symbol.asyncDispose]())

  it('of a create goes on and makes every instance exactly once', async () => {
    const moments = await surviveAll({
      after: {
        manifests: ground => {
          const { services, ...more } = shop('1', ground)
          return { ...more, services: [...services, { name: 'web', containers: [one, one] }] }
        },
        containers: [`shop ${image}:1 running`, `web ${image}:1 running`, `web ${image}:1 running`],
      },
      ends: 'done',
      networks: ['', 'shop', 'shop.published'],
      next: 'fresh',
    })
    expect(moments).to.equal(13)
  })

  it('of a rolling goes on and leaves nothing of the old', async () => {
    const moments = await surviveAll({
      before: twoOf('1'),
      after: twoOf('2'),
      ends: 'done',
      networks: [''],
      next: 'back and forth',
    })
    expect(moments).to.equal(11)
  })

  it('of a recreate goes on and hands the host port over, on the real engine, from the command line', async () => {
    const machine = await testMachine()
    for (const tag of ['1', '2']) await pushImage(machine.registry, image, tag, { env: { TAG: tag } })
    const moments = await surviveEvery('step', machine, {
      before: withPort('1'),
      after: withPort('2'),
      ends: 'done',
      networks: ['shop', 'shop.published'],
      next: 'back and forth',
      when: ['before'],
    })
    expect(moments.length).to.equal(6)
  })

  it('of a remove goes on, and leaves the others and no network behind', async () => {
    const api = { name: 'api', containers: [one] }
    const old = { services: [{ name: 'old', containers: [{ name: 'old', image }] }] }
    const moments = await surviveAll({
      before: {
        manifests: { services: [api, { name: 'old', containers: [one] }], applications: { old } },
        containers: [`api ${image}:1 running`, `old ${image}:1 running`],
      },
      after: { manifests: { services: [api] }, containers: [`api ${image}:1 running`] },
      ends: 'done',
      networks: [''],
      next: 'fresh',
    })
    expect(moments).to.equal(3)
  })

  it('of a rolling that fails in its second batch puts back what ran before', async () => {
    const moments = await surviveAll({
      before: {
        manifests: { services: [{ name: 'web', containers: [one, one] }] },
        containers: [`web ${image}:1 running`, `web ${image}:1 running`],
      },
      after: { manifests: { services: [{ name: 'web', containers: [two, broken] }] }, containers: [] },
      ends: 'put back',
      networks: [''],
      next: 'again',
    })
    expect(moments).to.equal(14)
  })

  it('of a recreate that fails puts back what ran before', async () => {
    const moments = await surviveAll({
      before: withPort('1'),
      after: { manifests: withPort('bad').manifests, containers: [] },
      ends: 'put back',
      networks: ['shop', 'shop.published'],
      healthyTime: '500ms',
      next: 'again',
    })
    expect(moments).to.equal(8)
  })

  it('of a plan with everything in it goes on as if nothing had happened', async () => {
    const moments = await surviveAll({
      before: beside('old', '2'),
      after: beside('shop', '3'),
      ends: 'done',
      networks: [''],
      next: 'back and forth',
      when: ['before', 'after'],
    })
    expect(moments).to.equal(26)
  })

  /** Dies before each step unless told otherwise, and is started again in this process, on the simulated engine. */
  async function surviveAll(scenario: Omit<Scenario, 'when'> & Partial<Scenario>): Promise<number> {
    const moments = await surviveEvery('step', simulated, {
      startedAgain: 'here',
      when: ['before'],
      ...scenario,
    })
    return moments.length
  }

  /** One by one: 25 % of two is one more, and none fewer. */
  function twoOf(tag: string): Side {
    const pin = { dockerName: image, dockerTag: tag }
    return {
      manifests: { services: [{ name: 'web', containers: [pin, pin] }] },
      containers: Array.from({ length: 2 }, () => `web ${image}:${tag} running`),
    }
  }

  /** One service that the other side does not have, and one whose second instance differs: all in one plan. */
  function beside(name: string, tag: string): Side {
    const second = { dockerName: image, dockerTag: tag }
    return {
      manifests: {
        services: [
          { name, containers: [one] },
          { name: 'web', containers: [one, second] },
        ],
      },
      containers: [`${name} ${image}:1 running`, `web ${image}:1 running`, `web ${image}:${tag} running`],
    }
  }

  /** Can only be recreated: it publishes a host port. */
  function withPort(tag: string): Side {
    return { manifests: ground => shop(tag, ground), containers: [`shop ${image}:${tag} running`] }
  }

  function shop(tag: string, { port }: { readonly port: number }): Manifests {
    const container = { name: 'shop', image, ports: [`${port}:80`] }
    return {
      services: [{ name: 'shop', containers: [{ dockerName: image, dockerTag: tag }] }],
      applications: { shop: { services: [{ name: 'shop', containers: [container] }] } },
    }
  }
})
