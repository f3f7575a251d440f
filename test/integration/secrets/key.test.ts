import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { markKey } from '../../../lib/secrets/key.ts'
import { refusal } from '../../support/failures/refusal.ts'

describe('the key of marks', () => {
  let root: string
  let stateDir: string
  let file: string

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tallyman-key-'))
    stateDir = join(root, 'state')
    file = join(stateDir, 'secret.key')
  })

  afterEach(() => rm(root, { recursive: true, force: true }))

  it('G16 is made at its first use, for its owner only, and is the same from then on', async () => {
    const key = await markKey(stateDir)
    expect(key).to.have.length(32)
    expect(await markKey(stateDir)).to.deep.equal(key)
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect(await readdir(stateDir)).to.deep.equal(['secret.key'])
  })

  it('G16 is one for all who begin together', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => markKey(stateDir)))
    expect(new Set(keys.map(key => key.toString('hex'))).size).to.equal(1)
    expect(await readdir(stateDir)).to.deep.equal(['secret.key'])
  })

  for (const [what, broken] of [
    ['cut off', '0123'],
    ['empty', ''],
    ['something else', `${'z'.repeat(64)}\n`],
  ] as const)
    it(`G16 G17 is left alone when its file is ${what}, and made anew once that is gone`, async () => {
      const key = await markKey(stateDir)
      await writeFile(file, broken)
      expect(await refusal(() => markKey(stateDir))).to.deep.equal([
        `${file}: is no key, which is 64 hexadecimal digits and a line break (secret-key-damaged)`,
      ])
      expect(await readFile(file, 'utf8')).to.equal(broken)
      await rm(file)
      expect(await markKey(stateDir)).to.not.deep.equal(key)
    })

  it('G16 fails where it cannot be kept', async () => {
    await writeFile(stateDir, '')
    expect(await refusal(() => markKey(stateDir))).to.deep.equal([
      `${file}: cannot be read or made (EEXIST) (state-dir-unusable)`,
    ])
  })
})
