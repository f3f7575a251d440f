import { expect } from 'chai'
import { cleanUp } from '../support/clean-up.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, idsOf, jsonText, type Scene, service } from './scene.ts'

describe('confirmation', () => {
  const it = sideBySide()

  it('D3 in the daemon a removal waits for its own approval', async () => {
    await using scene = await createScene()
    await webAndApi(scene)
    await scene.push('web', '2', { env: { V: '2' } })
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    const commit = await scene.commit({ services: [service('web', '2')] }, 'Update web, drop api')
    const both = await daemon.until(
      'a plan waits',
      seen => seen.revision?.commit === commit && seen.waiting !== undefined,
    )
    const first = both.waiting?.plan ?? ''
    expectCode(await scene.tallyman.run('approve', first), 0)
    const left = await daemon.until(
      'the removal waits',
      seen => seen.waiting !== undefined && seen.waiting.plan !== first && seen.running === undefined,
    )
    const [web] = (await scene.containers()).filter(({ service }) => service === 'web')
    expect(web?.labels).to.include({ 'tallyman.image': `${scene.prefix}/web:2` })
    expect(idsOf(await scene.containers(), 'api')).to.have.length(1)
    expectCode(await scene.tallyman.run('approve', left.waiting?.plan ?? ''), 0)
    await daemon.until('it is removed', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(idsOf(await scene.containers(), 'api')).to.have.length(0)
  })

  it('G10 what is not ours is never touched, whatever its environment is called', async () => {
    await using scene = await createScene()
    await webAndApi(scene)
    const before = idsOf(await scene.containers())
    const config = { environments: [scene.environment], prune: 'auto' as const }
    await using other = await createScene({ config })
    await other.push('cron', '1')
    const path = `environments/${scene.environment}/manifest.json`
    await other.repository.commit({ [path]: jsonText({ services: [service('cron', '1')] }) })
    const applied = await other.tallyman.run('apply', '--yes', '--output', 'json')
    const { environment, outcome } = documentOf(applied)
    await using _ = cleanUp(scene.dockerSocket, environment)
    expect([outcome, environment === scene.environment]).to.deep.equal(['applied', false])
    expect(idsOf(await scene.containers())).to.deep.equal(before)
  })
})

/** `web` and `api`, one instance each, deployed. */
async function webAndApi(scene: Scene): Promise<void> {
  await Promise.all([scene.push('web', '1'), scene.push('api', '1')])
  await scene.commit({ services: [service('web', '1'), service('api', '1')] })
  expectCode(await scene.tallyman.run('apply', '--yes'), 0)
}
