import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, inspect, type Scene } from '../../scenes/scene.ts'
import { engineGet } from '../../support/engine/engine-call.ts'
import { pushIndex } from '../../support/images/images.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

describe('digests', () => {
  const it = sideBySide()

  for (const demanded of ['index', 'platform'] as const) {
    it(`D5 G9 applies the right ${demanded} digest, and the container shows it`, async () => {
      await using scene = await createScene()
      const pushed = await pushIndex(scene.registry, `${scene.environment}/web`, '1')
      const dockerDigest = demanded === 'index' ? pushed.indexDigest : pushed.platformDigest
      await scene.commit({ services: [{ name: 'web', containers: [{ dockerTag: '1', dockerDigest }] }] })
      expectCode(await scene.tallyman.run('apply', '--yes'), 0)
      const [container] = await scene.containers()
      expect(await provenDigests(scene, container?.id ?? '')).to.include(dockerDigest)
      expect(container?.labels).to.include({ 'tallyman.image': `${scene.prefix}/web:1` })
      expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    })
  }
})

/** The digests by which the engine can prove what a container runs: its reference, and those of its image. */
async function provenDigests({ dockerSocket }: Scene, id: string): Promise<readonly string[]> {
  const { Config, Image } = await inspect(dockerSocket, id)
  const image = await engineGet(dockerSocket, `/images/${Image}/json`)
  const { RepoDigests }: { RepoDigests: readonly string[] } = JSON.parse(JSON.stringify(image))
  return [Config.Image, ...RepoDigests].map(reference => reference.slice(reference.indexOf('@') + 1))
}
