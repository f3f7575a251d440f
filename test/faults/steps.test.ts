import { expect } from 'chai'
import { type TestMachine, testMachine, uniqueName } from '../support/env.ts'
import { exits, pushImage } from '../support/images.ts'
import type { Ground, Manifests } from './ground.ts'
import { surviveEvery } from './survive.ts'

/**
 * Killed with SIGKILL before and after every step, and started again: D4 no second question, G2 no duplicate and no
 * orphan, G5 what fails is put back, G25 nothing lost in the journal.
 */
describe('a pass that is killed at any step', () => {
  let machine: TestMachine
  const image = uniqueName('faults')
  const one = { dockerName: image, dockerTag: '1' }
  const two = { dockerName: image, dockerTag: '2' }
  const bad = { dockerName: image, dockerTag: 'bad' }

  before(async () => {
    machine = await testMachine()
    for (const tag of ['1', '2']) await pushImage(machine.registry, image, tag, { env: { TAG: tag } })
    await pushImage(machine.registry, image, 'bad', { cmd: exits(1) })
  })

  it('of a create goes on and makes every instance exactly once', async () => {
    const moments = await surviveEvery('step', machine, {
      after: {
        services: [
          { name: 'api', containers: [one] },
          { name: 'web', containers: [one, one] },
        ],
      },
      ends: 'done',
      containers: [`api ${image}:1 running`, `web ${image}:1 running`, `web ${image}:1 running`],
      networks: [''],
    })
    expect(moments.length).to.equal(22)
  })

  it('of a rolling goes on and leaves nothing of the old', async () => {
    const moments = await surviveEvery('step', machine, {
      before: { services: [{ name: 'web', containers: [one, one, one] }] },
      after: { services: [{ name: 'web', containers: [two, two, two] }] },
      ends: 'done',
      containers: [`web ${image}:2 running`, `web ${image}:2 running`, `web ${image}:2 running`],
      networks: [''],
    })
    expect(moments.length).to.equal(32)
  })

  it('of a recreate goes on and hands the host port over', async () => {
    const moments = await surviveEvery('step', machine, {
      before: withPort(one),
      after: withPort(two),
      ends: 'done',
      containers: [`shop ${image}:2 running`],
      networks: ['shop'],
    })
    expect(moments.length).to.equal(12)
  })

  it('of a remove goes on, and leaves the others and no network behind', async () => {
    const api = { name: 'api', containers: [one] }
    const moments = await surviveEvery('step', machine, {
      before: {
        services: [api, { name: 'old', containers: [one] }],
        applications: { old: { services: [{ name: 'old', containers: [{ name: 'old', image }] }] } },
      },
      after: { services: [api] },
      ends: 'done',
      containers: [`api ${image}:1 running`],
      networks: [''],
    })
    expect(moments.length).to.equal(6)
  })

  it('of a rolling that fails in its second batch puts back what ran before', async () => {
    const moments = await surviveEvery('step', machine, {
      before: { services: [{ name: 'web', containers: [one, one] }] },
      after: { services: [{ name: 'web', containers: [two, bad] }] },
      healthyTime: '500ms',
      ends: 'put back',
      containers: [`web ${image}:1 running`, `web ${image}:1 running`],
      networks: [''],
    })
    expect(moments.length).to.equal(30)
  })

  it('of a recreate that fails puts back what ran before', async () => {
    const moments = await surviveEvery('step', machine, {
      before: withPort(one),
      after: withPort(bad),
      healthyTime: '500ms',
      ends: 'put back',
      containers: [`shop ${image}:1 running`],
      networks: ['shop'],
    })
    expect(moments.length).to.equal(16)
  })

  it('of a plan with everything in it goes on as if nothing had happened', async () => {
    const moments = await surviveEvery('step', machine, {
      before: {
        services: [
          { name: 'old', containers: [one] },
          { name: 'web', containers: [one, one] },
        ],
      },
      after: ground => ({
        ...withPort(one)(ground),
        services: [
          { name: 'shop', containers: [one] },
          { name: 'web', containers: [one, two] },
        ],
      }),
      ends: 'done',
      containers: [`shop ${image}:1 running`, `web ${image}:1 running`, `web ${image}:2 running`],
      networks: ['', 'shop'],
    })
    expect(moments.length).to.equal(28)
  })

  /** A service that can only be recreated: it publishes a host port. */
  function withPort(pin: object): (ground: Ground) => Manifests {
    return ({ port }) => ({
      services: [{ name: 'shop', containers: [pin] }],
      applications: {
        shop: { services: [{ name: 'shop', containers: [{ name: 'shop', image, ports: [`${port}:80`] }] }] },
      },
    })
  }
})
