import { expect } from 'chai'
import { type SimulatedMachine, simulatedMachine } from '../../faults/pass/simulated.ts'
import { type Scenario, type Side, surviveEvery } from '../../faults/pass/survive.ts'

describe('a scenario of deaths', () => {
  let machine: SimulatedMachine

  before(async () => {
    machine = await simulatedMachine()
    machine.push('web', '1')
  })

  after(() => machine[Symbol.asyncDispose]())

  it('says what it cannot begin with, and does not try that again', async () => {
    const complaint = await complaintOf({ before: sideOf('missing'), after: sideOf('1') })
    expect(complaint).to.match(/^cannot begin: failed: .*registry\.example\.com\/web:missing/)
  })

  it('says that it comes to no end', async () => {
    const complaint = await complaintOf({ after: sideOf('1'), most: 1 })
    expect(complaint).to.equal('died more than 1 times, and no pass ends alive')
  })

  async function complaintOf(scenario: Pick<Scenario, 'before' | 'after' | 'most'>): Promise<string> {
    const surviving = surviveEvery('step', machine, {
      ...{ ends: 'done', networks: [''], next: 'fresh', when: ['before'], startedAgain: 'here' },
      ...scenario,
    })
    return await surviving.then(
      () => 'none',
      ({ actual }: { readonly actual: string }) => actual.split('\n')[0] ?? '',
    )
  }

  function sideOf(tag: string): Side {
    return {
      manifests: { services: [{ name: 'web', containers: [{ dockerTag: tag }] }] },
      containers: ['web web:1 running'],
    }
  }
})
