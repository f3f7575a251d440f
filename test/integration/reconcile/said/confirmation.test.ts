import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { idsOf, jsonText, service } from '../../../scenes/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene } from '../scene.ts'

describe('confirmation', () => {
  const it = sideBySide()

  it('D3 in the daemon a removal waits for its own approval', async () => {
    await using scene = await createScene()
    await webAndApi(scene)
    scene.push('web', '2', { env: { V: '2' } })
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

  it('D4 D17 without a daemon and a terminal, the plan that apply shows waits for its approval, and the next apply carries it out', async () => {
    await using scene = await createScene()
    scene.push('web', '1')
    const commit = await scene.commit({ services: [service('web', '1')] })
    const asked = await scene.tallyman.run('apply')
    expectCode(asked, 3)
    const [, id = ''] =
      /Nothing was changed; confirm with --yes, or with: tallyman approve (\w+)\n$/.exec(asked.stderr) ?? []
    const [status] = JSON.parse((await scene.tallyman.run('status', '--output', 'json')).stdout)
    expect(status).to.deep.include({ sync: 'OutOfSync', outcome: 'needs-confirmation' })
    expect([status.waiting.plan, status.revision.commit]).to.deep.equal([id, commit])
    expectCode(await scene.tallyman.run('approve', id), 0)
    expect(await scene.containers()).to.deep.equal([])
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(idsOf(await scene.containers(), 'web')).to.have.length(1)
  })

  it('D4 without a daemon and a terminal, apply carries out what was approved, and asks about what came since', async () => {
    await using scene = await createScene()
    await Promise.all([scene.push('web', '1'), scene.push('api', '1')])
    await scene.commit({ services: [service('web', '1')] })
    const { id } = documentOf(await scene.tallyman.run('apply', '--output', 'json'))
    expectCode(await scene.tallyman.run('approve', id), 0)
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    const applied = await scene.tallyman.run('apply')
    expectCode(applied, 3)
    expect(applied.stderr).to.include('there is no terminal to ask on. Confirm with --yes.')
    const own = await scene.containers()
    expect([idsOf(own, 'web').length, idsOf(own, 'api').length]).to.deep.equal([1, 0])
    const again = await scene.tallyman.run('apply')
    expectCode(again, 3)
    expect(again.stderr).to.match(/Nothing was changed; confirm with --yes, or with: tallyman approve \w+\n$/)
    expect(idsOf(await scene.containers(), 'api')).to.deep.equal([])
  })

  it('D4 a plan that was discarded so is shown again, and not applied by an approval that comes later', async () => {
    await using scene = await createScene()
    scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const asked = await scene.tallyman.run('apply', '--output', 'json')
    expectCode(asked, 3)
    const { id } = documentOf(asked)
    expectCode(await scene.tallyman.run('discard', id), 0)
    expectCode(await scene.tallyman.run('approve', id), 1)
    expectCode(await scene.tallyman.run('apply'), 3)
    expect(await scene.containers()).to.deep.equal([])
  })

  it('E22 skipConfirmation in the root manifest answers, and the log says that it did', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    expect(documentOf(await scene.tallyman.run('plan', '--output', 'json')).needsConfirmation).to.equal(false)
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await scene.containers()).to.have.length(1)
    expect((await scene.tallyman.run('log')).stdout).to.include('confirmed by skipConfirmation')
  })

  it('E15 skipConfirmation in an included file answers nothing', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    const included = jsonText({ services: [service('web', '1')], skipConfirmation: true })
    await scene.commit({ includes: ['./web.json'] }, 'Include', { 'web.json': included })
    expectCode(await scene.tallyman.run('apply'), 3)
    expect(await scene.containers()).to.deep.equal([])
  })

  it('D3 a removal always waits for a yes of its own, whatever skipConfirmation says', async () => {
    await using scene = await createScene()
    await webAndApi(scene)
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true }, 'Drop api')
    const applied = await scene.tallyman.run('apply')
    expectCode(applied, 3)
    expect(idsOf(await scene.containers(), 'api')).to.have.length(1)
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    expect(idsOf(await scene.containers(), 'api')).to.have.length(0)
    expect(idsOf(await scene.containers(), 'web')).to.have.length(1)
  })

  it('D16 G24 an application that loses its specification keeps what runs until it is confirmed', async () => {
    await using scene = await createScene()
    await scene.push('shop', '1')
    const manifest = { services: [service('shop', '1')], skipConfirmation: true }
    const shop = {
      name: 'shop',
      services: [
        {
          name: 'shop',
          replicas: 2,
          volumes: [{ name: 'data', 'ephemeral-volume': {} }],
          containers: [
            {
              name: 'shop',
              image: `${scene.prefix}/shop:1`,
              mounts: [{ 'volume-name': 'data', 'mount-path': '/data' }],
            },
          ],
        },
      ],
    }
    await scene.commit(manifest, 'Begin', { 'applications/shop.json': jsonText(shop) })
    expectCode(await scene.tallyman.run('apply'), 0)
    const before = idsOf(await scene.containers(), 'shop')
    expect(before).to.have.length(2)

    const applications = join(scene.repository.path, 'environments', scene.environment, 'applications')
    await rm(applications, { recursive: true })
    await scene.commit(manifest, 'Lead elsewhere', { applications: '../elsewhere' })
    const refused = await scene.tallyman.run('apply', '--output', 'json')
    expectCode(refused, 1)
    expect(documentOf(refused).error?.code).to.equal('file-missing')
    expect(idsOf(await scene.containers(), 'shop')).to.deep.equal(before)

    await scene.commit(manifest, 'Lose it', { applications: null })
    const asked = await scene.tallyman.run('apply')
    expectCode(asked, 3)
    expect(asked.stdout).to.include('(specification-gone)')
    expect(idsOf(await scene.containers(), 'shop')).to.deep.equal(before)
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    expect(idsOf(await scene.containers(), 'shop')).to.have.length(1)
  })

  it('D3 prune: auto removes without a question', async () => {
    await using scene = await createScene({ config: { prune: 'auto' } })
    await webAndApi(scene)
    await scene.commit({ services: [service('web', '1')] }, 'Drop api')
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(idsOf(await scene.containers(), 'api')).to.have.length(0)
  })

  it('D3 prune: never only reports, even with --yes', async () => {
    await using scene = await createScene({ config: { prune: 'never' } })
    await webAndApi(scene)
    await scene.commit({ services: [service('web', '1')] }, 'Drop api')
    expect((await scene.tallyman.run('plan')).stdout).to.include('(prune-never)')
    await scene.tallyman.run('apply', '--yes')
    expect(idsOf(await scene.containers(), 'api')).to.have.length(1)
  })

  for (const prune of ['confirm', 'auto'] as const) {
    it(`E5 G4 an empty manifest removes nothing, even with --yes and prune: ${prune}`, async () => {
      await using scene = await createScene({ config: { prune } })
      await webAndApi(scene)
      const before = idsOf(await scene.containers())
      await scene.commit({}, 'Lose everything')
      await scene.tallyman.run('apply', '--yes')
      expect(idsOf(await scene.containers())).to.deep.equal(before)
      expect((await scene.tallyman.run('plan')).stdout).to.include('(empty-desired-state)')
    })
  }
})

/** `web` and `api`, one instance each, deployed. */
async function webAndApi(scene: Scene): Promise<void> {
  await Promise.all([scene.push('web', '1'), scene.push('api', '1')])
  await scene.commit({ services: [service('web', '1'), service('api', '1')] })
  expectCode(await scene.tallyman.run('apply', '--yes'), 0)
}
