import { expect } from 'chai'
import { type TestMachine, testMachine, uniqueName } from '../support/env.ts'
import { exits, pushImage } from '../support/images.ts'
import type { Manifests } from './ground.ts'
import { type Scenario, type Side, surviveEvery } from './survive.ts'

/**
 * Killed with SIGKILL before and after every step, and started again: D4 no second question, G2 no duplicate and no
 * orphan, G5 what fails is put back, G25 nothing lost in the journal.
 */
describe('a pass that is killed at any step', function () {
  this.timeout(600_000)
  let machine: TestMachine
  const image = uniqueName('faults')
  const one = { dockerName: image, dockerTag: '1' }
  const two = { dockerName: image, dockerTag: '2' }
  const broken = { dockerName: image, dockerTag: 'broken' }

  before(async () => {
    machine = await testMachine()
    for (const tag of ['1', '2']) await pushImage(machine.registry, image, tag, { env: { TAG: tag } })
    await pushImage(machine.registry, image, 'bad', { cmd: exits(1) })
    await pushImage(machine.registry, image, 'broken', { cmd: ['/no/such/program'] })
  })

  it('of a create goes on and makes every instance exactly once', async () => {
    const moments = await surviveAll({
      after: {
        manifests: {
          services: [
            { name: 'api', containers: [one] },
            { name: 'web', containers: [one, one] },
          ],
        },
        containers: [`api ${image}:1 running`, `web ${image}:1 running`, `web ${image}:1 running`],
      },
      ends: 'done',
      networks: [''],
      next: 'fresh',
    })
    expect(moments).to.equal(22)
  })

  it('of a rolling goes on and leaves nothing of the old', async () => {
    const moments = await surviveAll({
      before: threeOf('1'),
      after: threeOf('2'),
      ends: 'done',
      networks: [''],
      next: 'back and forth',
      when: ['before'],
    })
    expect(moments).to.equal(16)
  })

  it('of a recreate goes on and hands the host port over', async () => {
    const moments = await surviveAll({
      before: withPort('1'),
      after: withPort('2'),
      ends: 'done',
      networks: ['shop', 'shop.published'],
      next: 'back and forth',
    })
    expect(moments).to.equal(12)
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
    expect(moments).to.equal(6)
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
      when: ['before'],
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
    expect(moments).to.equal(16)
  })

  it('of a plan with everything in it goes on as if nothing had happened', async () => {
    const moments = await surviveAll({
      before: {
        manifests: {
          services: [
            { name: 'old', containers: [one] },
            { name: 'web', containers: [one, one] },
          ],
        },
        containers: [`old ${image}:1 running`, `web ${image}:1 running`, `web ${image}:1 running`],
      },
      after: {
        manifests: ground => ({
          ...shop('1', ground),
          services: [
            { name: 'shop', containers: [one] },
            { name: 'web', containers: [one, two] },
          ],
        }),
        containers: [`shop ${image}:1 running`, `web ${image}:1 running`, `web ${image}:2 running`],
      },
      ends: 'done',
      networks: ['', 'shop', 'shop.published'],
      next: 'fresh',
    })
    expect(moments).to.equal(30)
  })

  /** Unless told otherwise, dies both before and after each step. */
  async function surviveAll(scenario: Omit<Scenario, 'when'> & Partial<Scenario>): Promise<number> {
    const moments = await surviveEvery('step', machine, { when: ['before', 'after'], ...scenario })
    return moments.length
  }

  /** One by one: 25 % of three is one more, and none fewer. */
  function threeOf(tag: string): Side {
    const pin = { dockerName: image, dockerTag: tag }
    return {
      manifests: { services: [{ name: 'web', containers: [pin, pin, pin] }] },
      containers: Array.from({ length: 3 }, () => `web ${image}:${tag} running`),
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
