import { expect } from 'chai'
import { stringify } from 'yaml'
import { commit, deploying, read } from '../../../scenes/applications/blog.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, type Scene } from '../scene.ts'
import { pushBlog } from './push-blog.ts'

async function prepared(): Promise<Scene> {
  const scene = await createScene()
  for (const tag of ['1', '2', 'bad']) pushBlog(scene, tag)
  return scene
}

/**
 * Commits two services of one image. A service's name is what it writes down of itself; the deploy of `bad` fails, as it
 * would on a database of its own.
 */
function commitTwo(scene: Scene, names: readonly string[], more: object = {}): Promise<string> {
  const services = names.map((name, index) => ({
    name: `web-${index}`,
    pallet: { domain: `${index}.example.com`, environment: 'test', ...more },
    containers: [{ name: 'app', image: `${scene.prefix}/blog:1`, env: { TAG: name } }],
  }))
  return scene.commit(
    { services: [{ name: 'blog', containers: [{ dockerTag: '1' }] }], skipConfirmation: true },
    names.join(' and '),
    { 'applications/blog.yaml': stringify({ name: 'blog', services }) },
  )
}

describe('a Pallet application', () => {
  const it = sideBySide()

  it('P4 P6 is not served by a service whose own deploy failed, though that of another one of its image succeeded', async () => {
    await using scene = await prepared()
    const apply = () => scene.tallyman.run('apply', '--output', 'json')
    const deploysOnce = { redeployOnRollback: false }
    await commitTwo(scene, ['good', 'bad'], deploysOnce)
    expect(documentOf(await apply()).error).to.include({ code: 'job-failed' })
    expectCode(await scene.tallyman.run('retry'), 0)
    expect(documentOf(await apply()).error).to.include({ code: 'job-failed' })
    await commitTwo(scene, ['good', 'bad'], { ...deploysOnce, webConcurrency: 2 })
    expect(documentOf(await apply()).error).to.include({ code: 'barred' })
    expect((await read(scene, 'phases')).filter(line => !line.startsWith('ended'))).to.deep.equal([
      ...['deploy good', 'serve good', 'deploy bad', 'deploy bad', 'serve good'],
    ])
  })

  it('P6 stays barred in a service whose deploy failed when that of another one of its image succeeds', async () => {
    await using scene = await prepared()
    const apply = () => scene.tallyman.run('apply', '--output', 'json')
    await commitTwo(scene, ['bad', 'good'])
    expect(documentOf(await apply()).error).to.include({ code: 'job-failed' })
    await commitTwo(scene, ['bad', 'good'], { webConcurrency: 2 })
    expect(documentOf(await apply()).error).to.include({ code: 'barred' })
    const phases = await read(scene, 'phases')
    expect(phases.filter(line => line.endsWith(' bad'))).to.deep.equal(['deploy bad'])
    expect(phases.filter(line => line === 'serve good')).to.have.length(2)
  })

  it('P6 D10 stays barred once its deploy failed, though it had succeeded before and need not run again', async () => {
    await using scene = await prepared()
    const apply = () => scene.tallyman.run('apply', '--output', 'json')
    for (const tag of ['1', '2']) {
      await commit(scene, tag)
      expectCode(await apply(), 0)
    }
    const failing = { TAG: 'bad' }
    await commit(scene, '1', failing)
    expect(documentOf(await apply()).error).to.include({ code: 'job-failed' })
    const deploysOnce = { redeployOnRollback: false }
    await commit(scene, '1', failing, deploysOnce)
    expect(documentOf(await apply()).error).to.include({ code: 'barred' })
    expectCode(await scene.tallyman.run('retry'), 0)
    expect(documentOf(await apply()).error).to.include({ code: 'job-failed' })
    expect((await read(scene, 'phases')).filter(line => line.endsWith(' bad'))).to.deep.equal([
      ...['deploy bad', 'deploy bad'],
    ])
  })

  it('P4 P6 D10 is barred after a failure until it is retried, and deployed again when it is rolled back', async () => {
    await using scene = await prepared()
    const apply = (...flags: readonly string[]) => scene.tallyman.run('apply', '--output', 'json', ...flags)
    await commit(scene, '1')
    expectCode(await apply(), 0)
    expect(await read(scene, 'phases')).to.deep.equal(['deploy 1', 'serve 1', 'serve 1'])

    await commit(scene, '2')
    expectCode(await apply(), 0)
    expect((await read(scene, 'phases')).slice(3)).to.deep.equal([
      ...['deploy 2', 'serve 2', 'ended 1', 'serve 2', 'ended 1'],
    ])

    await commit(scene, 'bad')
    const failed = await apply()
    expectCode(failed, 1)
    expect(documentOf(failed)).to.deep.include({ outcome: 'rolled-back' })
    expect(documentOf(failed).error).to.include({ code: 'job-failed' })
    await commit(scene, 'bad', { OTHER: 'setting' })
    expect(documentOf(await apply()).error).to.include({ code: 'barred' })
    expect((await read(scene, 'phases')).slice(8)).to.deep.equal(['deploy bad'])
    expect(documentOf(await apply('--retry')).error).to.include({ code: 'job-failed' })
    expect((await read(scene, 'phases')).slice(8)).to.deep.equal(['deploy bad', 'deploy bad'])

    await commit(scene, '1')
    expectCode(await apply(), 0)
    expect((await read(scene, 'phases')).slice(10), 'D10 deploy of an old version runs again').to.deep.equal([
      ...['deploy 1', 'serve 1', 'ended 2', 'serve 1', 'ended 2'],
    ])
    await commit(scene, '2', {}, { redeployOnRollback: false })
    expectCode(await apply(), 0)
    expect((await read(scene, 'phases')).slice(15, 16), 'D10 unless it is told not to').to.deep.equal([
      'serve 2',
    ])
  })

  it('P5 P7 X1 a running deploy outlives the daemon and a newer commit; the next deploy waits for its end', async () => {
    await using scene = await prepared()
    await commit(scene, '1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    await commit(scene, '2', { SLOWLY: '4' })
    await waitUntil('deploy runs', () => deploying(scene))
    const deploy = await deploying(scene)
    await daemon.stop()
    expect((await deploying(scene))?.id, 'P7 it goes on without the daemon').to.equal(deploy?.id)

    await commit(scene, '1', { SLOWLY: '0', NEW: 'yes' })
    const again = await scene.tallyman.daemon()
    await again.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const phases = await read(scene, 'phases')
    expect(phases.filter(line => line.startsWith('deploy'))).to.deep.equal([
      'deploy 1',
      'deploy 2',
      'deploy 1',
    ])
    expect(phases, 'P4 a version whose deploy was overtaken is never served').to.not.include('serve 2')
  })

  it('P6 H22 a deploy that ends while nobody looks is collected, not run again', async () => {
    await using scene = await prepared()
    await commit(scene, '1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    await commit(scene, '2', { SLOWLY: '2' })
    await waitUntil('deploy runs', () => deploying(scene))
    await daemon.stop()
    await waitUntil('deploy has ended', async () => (await deploying(scene)) === undefined)
    const again = await scene.tallyman.daemon()
    await again.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const phases = await read(scene, 'phases')
    expect(phases.filter(line => line.startsWith('deploy'))).to.deep.equal(['deploy 1', 'deploy 2'])
    expect(phases).to.include('serve 2')
  })
})
