import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Manifest } from '../../scenes/scene.ts'
import { engineGet } from '../../support/engine/engine-call.ts'
import { hostPlatform, pushIndex } from '../../support/images/images.ts'

const foreign = 'linux/s390x'
const manifest: Manifest = {
  services: [{ name: 'shop', containers: [{ dockerName: 'web', dockerTag: '1' }] }],
}

function shopFor(platform: string): string {
  return `name: shop
services:
  - name: web
    containers: [{name: web, image: web, platform: ${platform}}]
`
}

describe('the platform of a container, on a real engine', () => {
  it("A45 G2 G9 runs the host's own, then another one of the same index, each by its own digest and without drift", async () => {
    await using scene = await createScene({ commands: 'here' })
    const name = `${scene.environment}/web`
    const { platforms } = await pushIndex(scene.registry, name, '1', {
      labels: { 'tallyman.service': 'hostile' },
      platforms: [hostPlatform, foreign],
    })
    const images: unknown[] = []
    for (const platform of [hostPlatform, foreign]) {
      await scene.commit(manifest, platform, { 'applications/shop.yaml': shopFor(platform) })
      const applied = await scene.tallyman.run('apply', '--yes')
      expectCode(applied, 0)
      expect(applied.stdout + applied.stderr).not.to.include('platform (')
      const containers = await scene.containers()
      expect(containers.map(({ state, service }) => [state, service])).to.deep.equal([['running', 'web']])
      const { Image } = Object(await engineGet(scene.dockerSocket, `/containers/${containers[0]?.id}/json`))
      const { Os, Architecture } = Object(await engineGet(scene.dockerSocket, `/images/${Image}/json`))
      images.push([containers[0]?.labels['tallyman.digest'], `${Os}/${Architecture}`])
      const planned = await scene.tallyman.run('plan', '--detailed-exitcode')
      expectCode(planned, 0)
    }
    expect(images).to.deep.equal([
      [platforms[hostPlatform], hostPlatform],
      [platforms[foreign], foreign],
    ])
  })

  it('A45 D15 refuses a platform that the image is not for, before anything is touched', async () => {
    await using scene = await createScene({ commands: 'here' })
    await scene.push('web', '1')
    await scene.commit(manifest, 'foreign', {
      'applications/shop.yaml': shopFor(foreign),
    })
    const planned = await scene.tallyman.run('plan')
    expect(planned.stdout + planned.stderr).to.include(
      `shop/web: ${scene.prefix}/web:1: is not for linux/s390x, but for ${hostPlatform}`,
    )
    expect(await scene.containers()).to.deep.equal([])
  })
})
