import { expect } from 'chai'
import { uniqueName } from '../support/suite/env.ts'
import { simulatedMachine } from './pass/simulated.ts'
import { type Side, surviveEvery } from './pass/survive.ts'

describe('a pass that is killed at any write to the journal', () => {
  const image = uniqueName('faults')

  it('D4 G25 goes on under the approval that was written, and asks where none was', async () => {
    await using machine = await simulatedMachine()
    for (const tag of ['1', '2']) machine.push(image, tag, { env: { TAG: tag } })
    const moments = await surviveEvery('write', machine, {
      before: sideOf('1'),
      after: sideOf('2'),
      ends: 'done',
      networks: [''],
      startedAgain: 'here',
      next: 'back and forth',
      when: ['before'],
    })
    expect(moments.map(moment => moment.split(' ').at(-1))).to.include.members([
      'setPlan',
      'approve',
      'endPass',
    ])
  })

  function sideOf(tag: string): Side {
    return {
      manifests: { services: [{ name: image, containers: [{ dockerTag: tag }] }] },
      containers: [`${image} ${image}:${tag} running`],
    }
  }
})
