import { expect } from 'chai'
import { healthyAfter } from '../../support/simulated/programs.ts'
import { service, simulatedScene } from '../../support/simulated/scene.ts'

const synced = ({ sync }: { readonly sync: string }) => sync === 'Synced'

describe('an environment on two sites', () => {
  it('G2 deploys to both, and a new version after it', async () => {
    await using scene = await simulatedScene({ sites: ['east', 'west'] })
    scene.registry.push('web', '1')
    scene.registry.push('web', '2')
    await scene.commit({ services: [service('web', '1', '1')], skipConfirmation: true })
    await scene.until('it runs', status => synced(status) && status.applications.length > 0)
    const first = ['web.1 registry.example.com/web:1 running', 'web.2 registry.example.com/web:1 running']
    expect([scene.has('east'), scene.has('west')]).to.deep.equal([first, first])
    const commit = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await scene.until('it is replaced', status => synced(status) && status.revision?.commit === commit)
    const second = ['web.1 registry.example.com/web:2 running']
    expect([scene.has('east'), scene.has('west')]).to.deep.equal([second, second])
  })

  it('G12 keeps the old version on both where the new one does not become healthy', async () => {
    await using scene = await simulatedScene({ sites: ['east', 'west'] })
    const healthcheck = { test: ['CMD', 'true'], intervalMs: 50, retries: 2 }
    scene.registry.push('web', '1', { healthcheck })
    scene.registry.push('web', '2', {
      healthcheck,
      behaves: { check: healthyAfter(Number.POSITIVE_INFINITY) },
    })
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    await scene.until('it runs', status => synced(status) && status.applications.length > 0)
    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await scene.until('it is rolled back', ({ errors }) => errors.some(({ code }) => code === 'quarantined'))
    for (const site of ['east', 'west'])
      expect(scene.has(site)).to.include('web.1 registry.example.com/web:1 running healthy')
  })
})
