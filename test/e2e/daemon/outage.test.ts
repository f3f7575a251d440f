import { expect } from 'chai'
import { expectCode, has } from '../../scenes/plan-document.ts'
import { createScene, idsOf, service } from '../../scenes/scene.ts'
import { startRegistry } from '../../support/images/registry.ts'

describe('while something is down', () => {
  it('G1 G4 a registry that is down: says so, changes nothing, and goes on by itself', async () => {
    await using registry = await startRegistry()
    await using scene = await createScene({ registry })
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    const before = idsOf(await scene.containers())

    await registry.off()
    const second = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    const { errors } = await daemon.until('it says so', has('registry-unreachable', 'digest-unknown'))
    expect(errors[0]?.hint).to.be.a('string').and.not.equal('')
    const planned = await scene.tallyman.run('plan')
    expectCode(planned, 1)
    expect(planned.stderr).to.match(/^Error: .*web.*\n {2}hint: /m)
    expect(idsOf(await scene.containers())).to.deep.equal(before)

    await registry.on()
    await daemon.until('it went on', seen => seen.revision?.commit === second && seen.sync === 'Synced')
    expect(idsOf(await scene.containers())).to.not.deep.equal(before)
  })
})
