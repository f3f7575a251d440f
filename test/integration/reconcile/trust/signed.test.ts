import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { repaired } from '../../../scenes/happenings/await-repair.ts'
import { documentOf, expectCode, has } from '../../../scenes/plan-document.ts'
import { commit, pushVersions, signedBy, verifying } from '../../../scenes/signed-commits.ts'
import { makeSigner } from '../../../support/network/ssh-server.ts'
import { createScene } from '../scene.ts'

describe('commits that have to be signed', () => {
  it('G23 D15 an unsigned commit on top is not deployed, and what runs stays as the last signed one wants it', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-signers-'))
    const trusted = join(place.path, 'trusted')
    await using scene = await createScene({ config: verifying('head', trusted) })
    const signer = (name: string) => makeSigner(place.path, name)
    const [ada, eve] = await Promise.all([signer('ada'), signer('eve')])
    await writeFile(trusted, ada.line)
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
    await writeFile(trusted, eve.line)
    await daemon.until('the key of Ada counts no more', has('signature-untrusted'))
    expect((await repaired(scene)).labels).to.include({ 'tallyman.commit': next })
    const last = await commit(scene, '2', { signingKey: eve.path })
    await daemon.until('Eve counts', seen => seen.revision?.commit === last && seen.sync === 'Synced')
    const { stdout } = await scene.tallyman.run('log')
    for (const name of ['ada@example.com', 'eve@example.com'])
      expect(stdout).to.match(signedBy(name, 'SHA256:'))
  })
})
