import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { sideBySide } from '../support/side-by-side.ts'
import { createTallyman } from '../support/tallyman.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, idsOf, jsonText, service } from './scene.ts'

describe('the daemon', () => {
  const it = sideBySide()

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

  it('an apply beside it does nothing and says so', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    const daemon = await scene.tallyman.daemon()
    await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const applied = await scene.tallyman.run('apply', '--yes')
    expectCode(applied, 1)
    expect(applied.stderr).to.include('(another-writer)')
    expect(await scene.containers()).to.deep.equal([])
  })

  it('G18 a directory as repository: saving a file shows a waiting plan at once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-directory-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(directory, { recursive: true }))
    const config = { repository: { url: directory }, poll: '1h' }
    await using scene = await createScene({ config })
    await Promise.all([scene.push('web', '1'), scene.push('api', '1')])
    const manifest = join(directory, 'environments', scene.environment, 'manifest.json')
    await mkdir(join(manifest, '..'), { recursive: true })
    await writeFile(manifest, jsonText({ services: [service('web', '1')] }))
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)

    await writeFile(manifest, jsonText({ services: [service('web', '1'), service('api', '1')] }))
    const { waiting } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const planned = documentOf(await scene.tallyman.run('plan', '--output', 'json'))
    expect(planned.id).to.equal(waiting?.plan)
    expect(planned.changes.map(({ service, action }) => `${action} ${service}`)).to.deep.equal(['create api'])
  })
})
