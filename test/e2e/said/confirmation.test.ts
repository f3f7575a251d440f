import { expect } from 'chai'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, idsOf, jsonText, type Scene, service } from '../../scenes/scene.ts'
import { cleanUp } from '../../support/engine/clean-up.ts'

describe('confirmation', () => {
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
