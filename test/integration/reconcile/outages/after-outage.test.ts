import { expect } from 'chai'
import { service, simulatedScene } from '../../../support/simulated/scene.ts'

describe('a release that comes to a site just after an outage', () => {
  it('G5 G17 is judged at once where it exits by itself, and is not taken for a victim of the engine', async () => {
    await using scene = await simulatedScene({ config: { healthyTime: '100ms' } })
    const engine = scene.site('local')
    scene.registry.push('web', '1')
    scene.registry.push('web', '2', { cmd: ['sh', '-c', 'exit 3'] })
    const commit = (tag: string) => scene.commit({ services: [service('web', tag)], skipConfirmation: true })
    await commit('1')
    await scene.until('it runs', ({ sync }) => sync === 'Synced' && scene.has('local').length === 1)
    await engine.off()
    await commit('2')
    await scene.until('nobody answers', ({ errors }) => errors[0]?.code === 'engine-unreachable')
    engine.forgetCalls()
    await engine.on()
    const { errors, applications } = await scene.until(
      'it is judged',
      ({ applications: [web] }) => web?.code === 'quarantined',
    )
    expect(applications[0]?.reason).to.include('exited with code 3')
    expect(errors.map(({ code }) => code)).to.not.include('engine-unreachable')
    const starts = engine.calls.filter(call => /^POST .*\/start$/.test(call))
    expect(new Set(starts).size, 'none was started twice').to.equal(starts.length)
  })
})
