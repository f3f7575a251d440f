import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { documentOf, expectCode } from './document.ts'
import { createScene, type Scene, service } from './scene.ts'

describe('a hostile repository', () => {
  it('G24 E14 a manifest that is a symlink is refused', async () => {
    await using scene = await createScene()
    const directory = join(scene.repository.path, 'environments', scene.environment)
    await mkdir(directory, { recursive: true })
    await symlink('/etc/passwd', join(directory, 'manifest.json'))
    await scene.repository.commit({}, 'Look over there')
    await expectRefused(scene, 'path-forbidden')
  })

  it('G24 E14 a directory on the way that is a symlink is refused', async () => {
    await using scene = await createScene()
    const directory = join(scene.repository.path, 'environments', scene.environment)
    await mkdir(directory, { recursive: true })
    await symlink('/etc', join(directory, 'etc'))
    await scene.commit({ includes: ['./etc/hostname'] })
    await expectRefused(scene, 'path-forbidden')
  })

  for (const include of [
    '../../../../../../etc/passwd',
    '/etc/passwd',
    '..\\..\\secret.json',
    './a\0.json',
  ]) {
    it(`G24 E14 an include of ${JSON.stringify(include)} is refused`, async () => {
      await using scene = await createScene()
      await scene.push('web', '1')
      await scene.commit({ includes: [include], services: [service('web', '1')] })
      await expectRefused(scene, 'include-invalid')
    })
  }

  it('G24 a manifest of 9 MB is refused', async () => {
    await using scene = await createScene()
    const comment = 'x'.repeat(9 << 20)
    const path = `environments/${scene.environment}/manifest.json`
    await scene.repository.commit({ [path]: JSON.stringify({ 'x-comment': comment, services: [] }) })
    await expectRefused(scene, 'file-too-large')
  })

  it('G24 a manifest nested 100,000 deep is refused', async () => {
    await using scene = await createScene()
    const path = `environments/${scene.environment}/manifest.json`
    await scene.repository.commit({ [path]: `{"x-deep": ${'['.repeat(100_000)}${']'.repeat(100_000)}}` })
    const planned = await scene.tallyman.run('plan', '--output', 'json')
    expectCode(planned, 1)
    expect(documentOf(planned).error?.code).to.not.equal('internal')
  })

  it('G24 control characters in author, subject and names do not reach the terminal', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    const author = 'Eve\x1b]0;owned\x07 \x9b31m\u202eevE <eve@example.com>'
    const subject = 'Deploy\x1b[2J\x1b[1;1H nothing\rat all\x08'
    await scene.commit({ services: [service('web', '1')] }, subject, {}, { author })
    const daemon = await scene.tallyman.daemon()
    const { waiting } = await daemon.until('a plan waits', seen => seen.waiting !== undefined)
    const said = [await scene.tallyman.run('plan'), await scene.tallyman.run('status')]
    await scene.tallyman.run('approve', waiting?.plan ?? '', '--message', 'fine\x1b[31m')
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const more = [
      await scene.tallyman.run('log'),
      await scene.tallyman.run('show', '1'),
      await scene.tallyman.run('show', '2'),
      await daemon.stop(),
    ]
    for (const { stdout, stderr } of [...said, ...more])
      expect(`${stdout}${stderr}`).to.not.match(/[^\n\P{Cc}]|[\u202a-\u202e\u2066-\u2069]/u)
    expect(said[0]?.stdout).to.include('Eve')
    expect(more[0]?.stdout).to.include('Deploy')
  })
})

/** The plan fails with this code and a hint, for this reason alone, and nothing is made. */
async function expectRefused(scene: Scene, code: string): Promise<void> {
  const planned = await scene.tallyman.run('apply', '--yes', '--output', 'json')
  expectCode(planned, 1)
  const { error } = documentOf(planned)
  expect(error, JSON.stringify(error)).to.include({ code })
  expect(error?.message).to.include(`environments/${scene.environment}/`)
  expect(error?.hint).to.not.equal('')
  expect(await scene.containers()).to.deep.equal([])
}
