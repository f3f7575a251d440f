import { expect } from 'chai'
import { engineCall, engineGet } from '../support/engine-call.ts'
import type { PushedImage } from '../support/images.ts'
import { startRegistry } from '../support/registry.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, type Manifest, type Scene } from './scene.ts'

const tags = ['1', '2', '3', '4', '5'] as const

describe('images of old versions', () => {
  const it = sideBySide()

  it('A6 X8 go after four more versions; those of the last four stay, and serve a rollback without a registry', async () => {
    await using registry = await startRegistry()
    await using scene = await createScene({ registry, config: { images: { prune: true } } })
    const pushed = await deployed(scene, 5)

    const planned = await scene.tallyman.run('plan', '--output', 'json')
    expectCode(planned, 0)
    const { needsConfirmation, changes } = documentOf(planned)
    expect(needsConfirmation).to.equal(false)
    expect(changes.map(({ cause, steps }) => [cause, steps])).to.deep.equal([
      ['unneeded', [`remove-image ${scene.prefix}/web:1@${pushed[0]?.digest}`]],
    ])
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await present(scene, pushed)).to.deep.equal(['2', '3', '4', '5'])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)

    await registry.off()
    await scene.commit(manifest(pushed[1]), 'Roll back to 2')
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const [running] = await scene.containers()
    expect(running?.labels).to.include({ 'tallyman.image': `${scene.prefix}/web:2` })
    expect(running?.state).to.equal('running')
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    expect(await present(scene, pushed)).to.deep.equal(['2', '3', '4', '5'])
  })

  it('A6 go by themselves while the daemon runs', async () => {
    await using scene = await createScene({ config: { images: { prune: true, keep: 2 } } })
    const pushed = await deployed(scene, 4)
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(await present(scene, pushed)).to.deep.equal(['3', '4'])
  })

  it("G10 what somebody else's container uses is left alone; that is said, and not tried again", async () => {
    await using registry = await startRegistry()
    await using scene = await createScene({ registry, config: { images: { prune: true, keep: 1 } } })
    const pushed = await deployed(scene, 3)
    await engineCall(scene.dockerSocket, 'POST', '/containers/create', { Image: pushed[0]?.pinned })
    const applied = await scene.tallyman.run('apply')
    expectCode(applied, 0)
    expect(applied.stderr).to.match(/^remove-image .*web:1@.* {2}left alone: conflict/m)
    expect(applied.stderr).to.not.match(/^remove-image .*web:1@.* {2}done/m)
    expect(await present(scene, pushed)).to.deep.equal(['1', '3'])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('A6 all stay unless the operator says otherwise', async () => {
    await using scene = await createScene()
    const pushed = await deployed(scene, 5)
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    expect(await present(scene, pushed)).to.deep.equal([...tags])
  })
})

/** Versions 1 to `last` of `web`, one after the other; the last one runs. */
async function deployed(scene: Scene, last: number): Promise<readonly PushedImage[]> {
  const pushed = await Promise.all(
    tags.slice(0, last).map(tag => scene.push('web', tag, { env: { V: tag } })),
  )
  for (const image of pushed) {
    await scene.commit(manifest(image))
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
  }
  return pushed
}

function manifest(image: PushedImage | undefined): Manifest {
  const dockerTag = image?.reference.slice(image.reference.lastIndexOf(':') + 1) ?? ''
  const dockerDigest = image?.digest ?? ''
  return { services: [{ name: 'web', containers: [{ dockerTag, dockerDigest }] }] }
}

/** The tags of those images that the engine has. */
async function present(
  { dockerSocket }: Scene,
  images: readonly PushedImage[],
): Promise<readonly (typeof tags)[number][]> {
  const listed: readonly { readonly RepoDigests: readonly string[] | null }[] = JSON.parse(
    JSON.stringify(await engineGet(dockerSocket, '/images/json')),
  )
  const there = listed.flatMap(({ RepoDigests }) => RepoDigests ?? [])
  return tags.filter((_, index) => there.includes(images[index]?.pinned ?? ''))
}
