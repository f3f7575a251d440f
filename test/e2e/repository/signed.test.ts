import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { expectCode, has } from '../../scenes/plan-document.ts'
import { createScene, idsOf } from '../../scenes/scene.ts'
import { commit, pushVersions, signedBy, verifying } from '../../scenes/signed-commits.ts'
import { createGnuPg } from '../../support/git/gpg.ts'

describe('commits that have to be signed', () => {
  it('G25 a tag that is signed with OpenPGP is deployed, one that is moved without is not, and who signed is shown', async () => {
    await using gnupg = await createGnuPg()
    await using scene = await createScene({ config: verifying('tag', 'signers', 'live') })
    await gnupg.key('Ada Example <ada@example.com>')
    await writeFile(join(scene.tallyman.directory, 'signers'), await gnupg.publicKey('ada@example.com'))
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
