import { expect } from 'chai'
import { type TestMachine, testMachine, uniqueName } from '../support/env.ts'
import { pushImage } from '../support/images.ts'
import { surviveEvery } from './survive.ts'

describe('a pass that is killed at any write to the journal', function () {
  this.timeout(300_000)
  let machine: TestMachine
  const image = uniqueName('faults')

  before(async () => {
    machine = await testMachine()
    await pushImage(machine.registry, image, '1')
  })

  it('D4 G25 goes on under the approval that was written, and asks where none was', async () => {
    const moments = await surviveEvery('write', machine, {
      after: {
        manifests: { services: [{ name: image, containers: [{ dockerTag: '1' }] }] },
        containers: [`${image} ${image}:1 running`],
      },
      ends: 'done',
      networks: [''],
      next: 'fresh',
      when: ['before'],
    })
    expect(moments.map(moment => moment.split(' ').at(-1))).to.include.members([
      'setPlan',
      'approve',
      'endPass',
    ])
  })
})
