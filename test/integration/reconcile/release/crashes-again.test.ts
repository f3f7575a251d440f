import { expect } from 'chai'
import { exitsWith } from '../../../support/simulated/container/programs.ts'
import { service, simulatedScene } from '../../../support/simulated/scene.ts'

describe('an application that ends again and again after its rollout', () => {
  it('G13 is not shown as if nothing were wrong between two ends: the status says how often it was started again', async () => {
    await using scene = await simulatedScene({ config: { healthyTime: '0s' } })
    scene.registry.push('web', '1', { behaves: { runs: exitsWith(1, 400) } })
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const isTold = ({ health = '', restarts = 0 }) => health === 'Healthy' && restarts > 1
    const { applications } = await scene.until('it is told', ({ applications: [web] }) => isTold(web ?? {}))
    expect(applications[0]).to.include({ sync: 'Synced', reason: '' })
  })
})
