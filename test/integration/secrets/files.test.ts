import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import { createRedaction } from '../../../lib/reconcile/repository/secrets/redaction.ts'
import { loadSecrets } from '../../../lib/secrets/load.ts'
import type { Secrets } from '../../../lib/state/secret/secrets.ts'
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'
import { encryptSops } from '../../support/files/sops.ts'

describe('secrets in files', () => {
  let root: string
  let directory: string

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tallyman-secrets-'))
    directory = join(root, 'secrets')
    await mkdir(directory)
  })

  afterEach(() => rm(root, { recursive: true, force: true }))

  const put = async (path: string, content: string | Buffer, mode = 0o600) => {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content, { mode })
  }
  const load = (env: NodeJS.ProcessEnv = {}, files: Files = {}): Promise<Secrets> =>
    loadSecrets(snapshotOf(files), 'environments/prod', {
      config: { directory },
      env,
      key: Buffer.from('key'),
      memory: {},
      redaction: createRedaction(),
    })
  const messages = ({ warnings = [] }: Secrets) => warnings.map(({ message }) => message.replace(root, ''))

  it('G16 have the path below the directory as their name, and no newline at their end', async () => {
    await put('db/password', 'word\n')
    await put('db/two-lines', 'a\nb\n\n')
    await put('token', 'exact')
    const secrets = await load()
    expect(secrets.find('db/password')?.reveal()).to.equal('word')
    expect(secrets.find('db/two-lines')?.reveal()).to.equal('a\nb\n')
    expect(secrets.find('token')?.reveal()).to.equal('exact')
    expect(secrets.below('db/')).to.deep.equal(['password', 'two-lines'])
    expect(secrets.warnings).to.equal(undefined)
  })

  it('G16 go before environment variables', async () => {
    await put('token', 'file')
    const secrets = await load({ TALLYMAN_SECRET_TOKEN: 'variable', TALLYMAN_SECRET_OTHER: 'variable' })
    expect(secrets.find('token')?.reveal()).to.equal('file')
    expect(secrets.find('other')?.reveal()).to.equal('variable')
  })

  it('G16 come after those of the repository', async () => {
    await put('token', 'file')
    await put('other', 'file')
    const identity = await generateIdentity()
    const recipients = [await identityToRecipient(identity)]
    const text = await encryptSops({ token: 'repository' }, { format: 'yaml', recipients })
    const secrets = await load({ SOPS_AGE_KEY: identity }, { 'environments/prod/secrets.yaml': text })
    expect(secrets.find('token')?.reveal()).to.equal('repository')
    expect(secrets.find('other')?.reveal()).to.equal('file')
  })

  it('G16 are read anew each time, and the mark tells of a change', async () => {
    await put('token', 'old')
    const before = await load()
    expect((await load()).mark).to.equal(before.mark)
    await put('token', 'new')
    const after = await load()
    expect(after.find('token')?.reveal()).to.equal('new')
    expect(after.mark).to.not.equal(before.mark)
  })

  it('G16 may be links within the directory, as orchestrators lay them out', async () => {
    await put('..2024_05_21/password', 'word')
    await symlink('..2024_05_21', join(directory, '..data'))
    await symlink('..data/password', join(directory, 'password'))
    const secrets = await load()
    expect(secrets.find('password')?.reveal()).to.equal('word')
    expect(secrets.below('')).to.deep.equal(['password'])
  })

  describe('that cannot be read', () => {
    it('G16 are named, and nothing else answers for them', async () => {
      await writeFile(join(root, 'outside'), 'hunter2')
      await symlink('../outside', join(directory, 'link'))
      await symlink('/etc/hostname', join(directory, 'absolute'))
      await symlink('gone', join(directory, 'dangling'))
      await put('large', 'x'.repeat(64 * 1024 + 1))
      await put('binary', Buffer.from([0xff, 0xfe]))
      await put('good', 'word')
      const secrets = await load({ TALLYMAN_SECRET_LINK: 'variable' })
      expect(messages(secrets).toSorted()).to.deep.equal([
        '/secrets/absolute: leads out of the directory',
        '/secrets/binary: is not text (UTF-8)',
        '/secrets/dangling: leads nowhere',
        '/secrets/large: is larger than 64 KiB',
        '/secrets/link: leads out of the directory',
      ])
      expect(secrets.find('link')).to.equal(undefined)
      expect(secrets.unreadable?.('link')?.message.replace(root, '')).to.equal(
        '/secrets/link: leads out of the directory',
      )
      expect(['good', 'nobody'].map(name => secrets.unreadable?.(name))).to.deep.equal([undefined, undefined])
      expect(secrets.find('good')?.reveal()).to.equal('word')
      expect(secrets.fault).to.equal(undefined)
    })

    it('G16 a link to a directory is no secret and is not followed', async () => {
      await mkdir(join(root, 'elsewhere'))
      await writeFile(join(root, 'elsewhere', 'key'), 'hunter2')
      await symlink('../elsewhere', join(directory, 'more'))
      expect((await load()).below('more/')).to.deep.equal([])
    })

    it('G16 64 KiB are not too much', async () => {
      await put('large', 'x'.repeat(64 * 1024))
      expect((await load()).find('large')?.reveal()).to.have.length(64 * 1024)
    })
  })

  it('G16 that every user may read are used, with a warning', async () => {
    await put('a', 'x')
    await put('b', 'y')
    await put('c', 'z')
    await chmod(join(directory, 'b'), 0o644)
    await chmod(join(directory, 'c'), 0o604)
    const secrets = await load()
    expect(secrets.find('b')?.reveal()).to.equal('y')
    expect(messages(secrets)).to.deep.equal(['/secrets/b and 1 more: every user of this host may read it'])
  })

  it('G16 a directory that is not there is the fault of all who ask, and variables do not answer', async () => {
    await rm(directory, { recursive: true })
    const secrets = await load({ TALLYMAN_SECRET_TOKEN: 'variable' })
    expect(secrets.fault?.code).to.equal('secrets-unreadable')
    expect(secrets.fault?.message.replace(root, '')).to.equal('/secrets: cannot be read (ENOENT)')
    expect(secrets.find('token')).to.equal(undefined)
  })

  it('G24 more than a thousand files are refused', async () => {
    await Promise.all(Array.from({ length: 1_001 }, (_, number) => put(`s${number}`, 'x')))
    expect((await load()).fault?.message.replace(root, '')).to.equal('/secrets: holds more than 1000 files')
  })
})
