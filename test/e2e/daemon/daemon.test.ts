import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, idsOf, service } from '../../scenes/scene.ts'
import { createTallyman } from '../../support/command/tallyman.ts'

describe('the daemon', () => {
  it('a second one on the same environment and engine only observes and says so, and takes over later', async () => {
    await using scene = await createScene()
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const first = await scene.tallyman.daemon()
    await first.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const before = idsOf(await scene.containers())

    await using other = await createTallyman(scene.config, scene.dockerSocket)
    const second = await other.daemon()
    await second.until('it says so', seen => seen.errors.some(({ code }) => code === 'another-writer'))
    const log = await other.run('log', '--output', 'json')
    expectCode(log, 0)
    expect(JSON.parse(log.stdout), 'it has nothing to put on record').to.deep.equal([])
    expect(idsOf(await scene.containers())).to.deep.equal(before)

    await first.stop()
    const commit = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await second.until('it takes over', seen => seen.revision?.commit === commit && seen.sync === 'Synced')
    const [web] = await scene.containers()
    expect(web?.labels).to.include({ 'tallyman.image': `${scene.prefix}/web:2` })
  })
})
