import { expect } from 'chai'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { idsOf, service } from '../../../scenes/scene.ts'
import { service as ofTags, type SimulatedScene, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene } from '../scene.ts'

describe('digests', () => {
  const it = sideBySide()

  it('D5 D15 refuses a wrong dockerDigest with code and hint, leaves that application alone and applies the others', async () => {
    await using scene = await createScene()
    const [web1] = await Promise.all([
      scene.push('web', '1'),
      scene.push('web', '2', { env: { V: '2' } }),
      scene.push('api', '1'),
      scene.push('api', '2', { env: { V: '2' } }),
    ])
    await scene.commit({ services: [service('web', '1', '1'), service('api', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const before = await scene.containers()

    const container = { dockerTag: '2', dockerDigest: web1.digest }
    await scene.commit({
      services: [{ name: 'web', containers: [container, container] }, service('api', '2')],
    })
    const applied = await scene.tallyman.run('apply', '--yes', '--output', 'json')
    expectCode(applied, 1)
    const { outcome, error } = documentOf(applied)
    expect(outcome).to.equal('partially-applied')
    expect(error).to.include({
      code: 'digest-mismatch',
      hint: 'Correct dockerTag or dockerDigest, or in a pod the "id" of the image, or have the tag moved back.',
      resource: 'web',
    })
    expect(error?.message).to.include(web1.digest).and.to.include(`${scene.prefix}/web:2`)
    const after = await scene.containers()
    expect(idsOf(after, 'web')).to.deep.equal(idsOf(before, 'web'))
    expect(idsOf(after, 'api')).to.not.deep.equal(idsOf(before, 'api'))
  })

  it('D5 X9 keeps what the tag meant at this commit when somebody moves the tag', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    await scene.push('web', '1', { env: { MOVED: 'yes' } })
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})

describe('a tag that is moved between the pulls of two sites', () => {
  const it = sideBySide()
  const runs = 'web.1 registry.example.com/web:1 running'

  for (const [how, restart] of [
    ['by one daemon', async () => undefined],
    ['by a daemon that begins anew', (scene: SimulatedScene) => scene.restart()],
  ] as const)
    it(`X9 means to both what it meant to the first, deployed ${how}`, async () => {
      await using scene = await simulatedScene({ sites: ['east', 'west'] })
      const [east, west] = [scene.site('east'), scene.site('west')]
      const before = scene.registry.push('web', '1')
      await west.off()
      await scene.commit({ services: [ofTags('web', '1')], skipConfirmation: true })
      await waitUntil('east runs it', () => scene.has('east').join() === runs)
      const after = scene.registry.push('web', '1', { env: { MOVED: 'yes' } })
      await west.on()
      await restart(scene)
      await waitUntil('west runs it', () => scene.has('west').join() === runs)
      const images = [east, west].flatMap(engine => engine.containers().map(({ config }) => config.Image))
      expect(images).to.deep.equal([before.pinned, before.pinned])
      expect(after.digest).not.to.equal(before.digest)
    })
})
