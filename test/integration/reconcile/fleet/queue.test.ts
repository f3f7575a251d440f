import { expect } from 'chai'
import { expectCode } from '../../../scenes/plan-document.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene } from '../scene.ts'

/** Commits `web` in a version, which one gets to from others that a pattern matches. */
async function release(scene: Scene, version: string, tag: string, from?: string): Promise<void> {
  scene.push('web', tag, { env: { V: tag } })
  const paths =
    from === undefined ? '' : `upgrade-from: [{version-regexp: '${from}', method: stop-and-restart}]\n`
  const container = `{name: web, image: "${scene.prefix}/web:${tag}"}`
  const specification = `name: web\nversion: "${version}"\nservices: [{name: web, containers: [${container}]}]\n`
  await scene.commit({ services: [{ name: 'web' }] }, version, {
    'applications/web.yaml': `${specification}${paths}`,
  })
}

const tagsOf = async (scene: Scene) =>
  (await scene.containers()).map(({ labels }) => labels['tallyman.image']?.split(':').at(-1))

describe('versions that only follow each other', () => {
  const it = sideBySide()

  it('A65 X18 are installed one after the other by one apply, which shows the whole way and asks once', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await release(scene, '2.0.4', 'a')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    await release(scene, '3.0', 'b')
    // Nobody confirms it, so that it only enters.
    expectCode(await tallyman.run('apply'), 3)
    await release(scene, '3.0.1', 'c', '^3\\.0$')
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include('web: 2.0.4 -> 3.0, then 3.0.1')
    const applied = await tallyman.run('apply', '--yes')
    expectCode(applied, 0)
    expect(applied.stdout.indexOf('web:b')).to.be.greaterThan(0)
    expect(await tagsOf(scene)).to.deep.equal(['c'])
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
