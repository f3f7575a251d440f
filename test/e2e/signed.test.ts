import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createGnuPg } from '../support/gpg.ts'
import type { CommitOptions } from '../support/repository.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { makeSigner } from '../support/ssh-server.ts'
import { documentOf, expectCode, has } from './document.ts'
import { repaired } from './repaired.ts'
import { createScene, idsOf, type Scene, service } from './scene.ts'

describe('commits that have to be signed', () => {
  const it = sideBySide()

  it('G23 D15 an unsigned commit on top is not deployed, and what runs stays as the last signed one wants it', async () => {
    await using scene = await createScene({ config: verifying('head') })
    const signer = (name: string) => makeSigner(scene.tallyman.directory, name)
    const [ada, eve] = await Promise.all([signer('ada'), signer('eve')])
    await trust(scene, ada.line)
    await pushVersions(scene)
    await commit(scene, '1', { signingKey: ada.path })
    await commit(scene, '2')
    const refused = await scene.tallyman.run('apply', '--yes', '--output', 'json')
    expectCode(refused, 1)
    expect(documentOf(refused).error).to.include({ code: 'signature-missing' })
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it says so', has('signature-missing'))
    expect(await scene.containers(), 'nothing of the signed commit below').to.deep.equal([])

    const signed = await commit(scene, '1', { signingKey: ada.path })
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const unsigned = await commit(scene, '2')
    await daemon.until('it says so', has('signature-missing'))
    const status = await scene.tallyman.run('status')
    expect(status.stdout).to.include(`commit ${unsigned}: has no signature`)
    expect(status.stdout).to.match(signedBy('ada@example.com', 'SHA256:'))
    expect((await repaired(scene)).labels).to.include({ 'tallyman.commit': signed })

    const next = await commit(scene, '3', { signingKey: ada.path })
    await daemon.until('it goes on', seen => seen.revision?.commit === next && seen.sync === 'Synced')
    await trust(scene, eve.line)
    await daemon.until('the key of Ada counts no more', has('signature-untrusted'))
    expect((await repaired(scene)).labels).to.include({ 'tallyman.commit': next })
    const last = await commit(scene, '2', { signingKey: eve.path })
    await daemon.until('Eve counts', seen => seen.revision?.commit === last && seen.sync === 'Synced')
    const { stdout } = await scene.tallyman.run('log')
    for (const name of ['ada@example.com', 'eve@example.com'])
      expect(stdout).to.match(signedBy(name, 'SHA256:'))
  })

  it('G25 a tag that is signed with OpenPGP is deployed, one that is moved without is not, and who signed is shown', async () => {
    await using gnupg = await createGnuPg()
    await using scene = await createScene({ config: verifying('tag', 'live') })
    await gnupg.key('Ada Example <ada@example.com>')
    await trust(scene, await gnupg.publicKey('ada@example.com'))
    const signed = { openPgp: { home: gnupg.home, user: 'ada@example.com' } }
    const { repository } = scene
    await pushVersions(scene)
    const first = await commit(scene, '1')
    await repository.tag('live', 'Version 1', signed)
    const planned = await scene.tallyman.run('plan')
    expectCode(planned, 0)
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const told = await Promise.all(
      [['status'], ['log'], ['show', '1']].map(args => scene.tallyman.run(...args)),
    )
    for (const { stdout } of [planned, ...told])
      expect(stdout).to.match(signedBy('Ada Example <ada@example.com>', 'OpenPGP [0-9A-F]{40}'))

    const before = idsOf(await scene.containers())
    await commit(scene, '2')
    await repository.tag('live', 'Version 2')
    const { revision } = await daemon.until('it says so', has('signature-missing'))
    expect(revision?.commit).to.equal(first)
    expect(idsOf(await scene.containers())).to.deep.equal(before)

    const third = await commit(scene, '3')
    await repository.tag('live', 'Version 3', signed)
    await daemon.until('it goes on', seen => seen.revision?.commit === third && seen.sync === 'Synced')
    expect(idsOf(await scene.containers())).to.not.deep.equal(before)
  })
})

function verifying(mode: 'head' | 'tag', ref?: string) {
  return (_: string, { url }: { readonly url: string }) => ({
    repository: { url: `file://${url}`, verify: { mode, keys: ['signers'] }, ...(ref && { ref }) },
  })
}

const trust = ({ tallyman }: Scene, keys: string) => writeFile(join(tallyman.directory, 'signers'), keys)

const pushVersions = ({ push }: Scene) =>
  Promise.all(['1', '2', '3'].map(version => push('web', version, { env: { V: version } })))

const commit = (scene: Scene, version: string, options?: CommitOptions) =>
  scene.commit(
    { services: [service('web', version)], skipConfirmation: true },
    `Version ${version}`,
    {},
    options,
  )

const signedBy = (name: string, key: string) => new RegExp(`, signed by ${name} \\(${key}`)
