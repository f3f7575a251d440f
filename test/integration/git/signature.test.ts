import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { openSource, type Source, type SourceConfig } from '../../../lib/git/source.ts'
import { temporaryFilesIn } from '../../support/files/temporary-files.ts'
import { type GitServer, startGitServer } from '../../support/git/git-server.ts'
import { createGnuPg, type GnuPg } from '../../support/git/gpg.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'
import { makeSigner } from '../../support/network/ssh-server.ts'

const { signal } = new AbortController()

/** A public key without the name of its owner, which gpg does not take. */
const nobodys = 'mDMEawM+/RYJKwYBBAHaRw8BAQdA3ij8puTD41BhuB5CmBDFdezFaodUnCL9vsjmmecAsL0='

function armoured(encoded: string): string {
  return `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${encoded}\n-----END PGP PUBLIC KEY BLOCK-----\n`
}

describe('a repository whose commits have to be signed', () => {
  let server: GitServer
  let repository: Repository
  let directory: string
  let gnupg: GnuPg

  before(async () => {
    gnupg = await createGnuPg()
    await gnupg.key('Ada Example <ada@example.com>')
    await gnupg.key('Old Example <old@example.com>', '20200101T000000')
  })

  after(() => gnupg[Symbol.asyncDispose]())

  beforeEach(async () => {
    server = await startGitServer()
    repository = await createRepository(server)
    directory = await mkdtemp(join(tmpdir(), 'tallyman-signed-'))
  })

  afterEach(async () => {
    await repository[Symbol.asyncDispose]()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  })

  function source(
    config: Partial<SourceConfig> & { keys: readonly string[]; mode?: 'head' | 'tag' },
  ): Source {
    const { keys, mode = 'head', ...rest } = config
    return openSource({ url: repository.url, verify: { mode, keys }, ...rest }, join(directory, 'store'))
  }

  /** `name key`, or `code: message`. */
  async function judged(from: Source): Promise<string> {
    try {
      const signer = await from.verify?.(await from.lookUp(signal), signal)
      return `${signer?.name} ${signer?.key}`
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return `${error.code}: ${error.message}`
    }
  }

  const sshKey = (name: string) => makeSigner(directory, name)

  async function keyFile(name: string, content: string): Promise<string> {
    const path = join(directory, name)
    await writeFile(path, content)
    return path
  }

  it('G24 is taken when an SSH key of the team signed the commit, and not when another one did, or nobody', async () => {
    const [ada, eve] = [await sshKey('ada'), await sshKey('eve')]
    const signers = await keyFile('signers', ada.line)
    const remote = source({ keys: [signers] })
    const first = await repository.commit({ 'a.json': '1' }, 'Signed', { signingKey: ada.path })
    expect(await judged(remote)).to.match(/^ada@example\.com SHA256:\S+$/)
    expect(await (await remote.snapshot(first, signal)).read('a.json')).to.equal('1')
    const unsigned = await repository.commit({ 'a.json': '2' })
    const missing = `signature-missing: commit ${unsigned}: has no signature, or more than one`
    expect(await judged(remote)).to.equal(missing)
    const strange = await repository.commit({ 'a.json': '3' }, 'By Eve', { signingKey: eve.path })
    expect(await judged(remote)).to.match(
      new RegExp(
        `^signature-untrusted: commit ${strange}: .*no signer in the configuration has the key SHA256:\\S+$`,
      ),
    )
    await writeFile(signers, `${ada.line}${eve.line}`)
    expect(await judged(remote), 'keys are read each time').to.match(/^eve@example\.com /)
    await writeFile(signers, ada.line)
    expect(await judged(remote), 'also when one was withdrawn').to.match(/^signature-untrusted: /)
    const [kind, blob] = eve.line.split(' ')
    await writeFile(signers, `eve@example.com valid-before="20200101" ${kind} ${blob}\n`)
    expect(await judged(remote)).to.match(/^signature-untrusted: .*the key SHA256:\S+ is not valid now$/)
  })

  it('G24 is taken when an OpenPGP key of the team signed the commit, until it is withdrawn', async () => {
    const keys = [
      await keyFile('ada.asc', await gnupg.publicKey('ada@example.com')),
      await keyFile('old.asc', await gnupg.publicKey('old@example.com')),
    ]
    const openPgp = { home: gnupg.home, user: 'ada@example.com' }
    await repository.commit({ 'a.json': '1' }, 'Signed', { openPgp })
    expect(await judged(source({ keys }))).to.match(/^Ada Example <ada@example\.com> OpenPGP [0-9A-F]{40}$/)
    expect(await judged(source({ keys: keys.slice(1) }))).to.match(
      /^signature-untrusted: .*no signer in the configuration has the key [0-9A-F]{16}$/,
    )
    const ssh = await keyFile('signers', (await sshKey('ada')).line)
    expect(await judged(source({ keys: [ssh] }))).to.match(/the configuration has no OpenPGP keys$/)
    await using other = await createGnuPg()
    await other.key('Bo Example <bo@example.com>')
    const bo = { home: other.home, user: 'bo@example.com' }
    await repository.commit({ 'a.json': '2' }, 'By Bo', { openPgp: bo })
    const boKeys = [await keyFile('bo.asc', await other.publicKey('bo@example.com'))]
    const remote = source({ keys: boKeys })
    expect(await judged(remote)).to.match(/^Bo Example /)
    await other.withdraw('bo@example.com')
    await keyFile('bo.asc', await other.publicKey('bo@example.com'))
    expect(await judged(remote)).to.match(
      /^signature-untrusted: .*the key of Bo Example <bo@example\.com> was withdrawn$/,
    )
    await keyFile('bo.asc', armoured('nonsense'))
    expect(await judged(source({ keys: [ssh, ...boKeys] })), 'before gpg is asked').to.equal(
      `signing-keys-unusable: ${boKeys[0]}: has an OpenPGP key that is cut`,
    )
    await keyFile('bo.asc', armoured(nobodys))
    const unusable = new RegExp(`^signing-keys-unusable: ${boKeys[0]}: gpg cannot read its keys: \\S`)
    expect(await judged(remote)).to.match(unusable)
    expect(await judged(source({ keys: [...keys, ...boKeys] })), 'beside good ones').to.match(unusable)
    await rm(join(directory, 'bo.asc'))
    expect(await judged(remote)).to.match(/^signing-keys-unusable: .*ENOENT/)
  })

  it('G24 is verified with no other place for files than that of the fetched objects, where nothing stays', async () => {
    const ada = await sshKey('ada')
    const keys = [
      await keyFile('signers', ada.line),
      await keyFile('ada.asc', await gnupg.publicKey('ada@example.com')),
    ]
    const remote = source({ keys })
    await repository.commit({ 'a.json': '1' }, 'Signed', { signingKey: ada.path })
    await remote.snapshot(await remote.lookUp(signal), signal)
    const kept = await readdir(join(directory, 'store'))
    using _nowhere = temporaryFilesIn(join(directory, 'nowhere'))
    expect(await judged(remote)).to.match(/^ada@example\.com SHA256:/)
    const openPgp = { home: gnupg.home, user: 'ada@example.com' }
    await repository.commit({ 'a.json': '2' }, 'Signed', { openPgp })
    expect(await judged(remote)).to.match(/^Ada Example /)
    expect(await readdir(join(directory, 'store'))).to.deep.equal(kept)
  })

  it('G24 is said to be unverifiable, and not bad, where nothing can be written', async () => {
    const ada = await sshKey('ada')
    const file = await keyFile('file', '')
    const keys = [await keyFile('signers', ada.line)]
    await repository.commit({ 'a.json': '1' }, 'Signed', { signingKey: ada.path })
    const local = openSource(
      { url: `file://${repository.bare}`, verify: { mode: 'head', keys } },
      join(file, 'store'),
    )
    expect(await judged(local)).to.match(/^git-store-unwritable: .*\/file\/store: ENOTDIR/)
  })

  it('G24 is refused when the commit was changed after it was signed, or its key had expired', async () => {
    const ada = await sshKey('ada')
    const keys = [
      await keyFile('signers', ada.line),
      await keyFile('old.asc', await gnupg.publicKey('old@example.com')),
    ]
    await repository.commit({ 'a.json': '1' }, 'Signed', { signingKey: ada.path })
    const content = await repository.git('cat-file', 'commit', 'HEAD')
    const put = async (changed: string) => {
      const path = await keyFile('object', changed)
      const commit = await repository.git('hash-object', '-w', '-t', 'commit', path)
      await repository.forcePush(commit)
      return commit
    }
    const changed = await put(`${content.replace('Signed', 'Forged')}\n`)
    expect(await judged(source({ keys }))).to.equal(
      `signature-bad: commit ${changed}: has a bad signature: Signature verification failed: incorrect signature`,
    )
    const bare = `${content.replace(/^gpgsig[\s\S]*-----END SSH SIGNATURE-----\n/m, '')}\n`
    const armour = await gnupg.sign('old@example.com', bare, '20200201T000000')
    await put(bare.replace('\n\n', `\ngpgsig ${armour.trim().replaceAll('\n', '\n ')}\n\n`))
    expect(await judged(source({ keys }))).to.match(
      /^signature-untrusted: .*the key of Old Example <old@example\.com> has expired$/,
    )
  })

  for (const where of ['on a server', 'on this machine'])
    it(`G24 ${where} is taken at a tag that was signed, for this commit and under this name`, async () => {
      const ada = await sshKey('ada')
      const url = where === 'on a server' ? repository.url : `file://${repository.bare}`
      const keys = [await keyFile('signers', ada.line)]
      const at = (ref: string) => source({ url, keys, mode: 'tag', ref })
      const commit = await repository.commit({ 'a.json': '1' })
      await repository.tag('v1', 'Version 1', { signingKey: ada.path })
      // The commit alone is in the store before its tag is asked for.
      expect(await (await at('main').snapshot(commit, signal)).read('a.json')).to.equal('1')
      const remote = at('v1')
      expect(await judged(remote)).to.match(/^ada@example\.com SHA256:/)
      expect(await (await remote.snapshot(commit, signal)).read('a.json')).to.equal('1')
      expect(await judged(source({ url, keys, ref: 'v1' }))).to.match(/^signature-missing: commit /)
      expect(await judged(at('main'))).to.match(/^signature-missing: .*no annotated tag leads to commit/)
      await repository.tag('light')
      expect(await judged(at('light'))).to.match(/^signature-missing: .*no annotated tag leads to commit/)
      await repository.tag('v2', 'Version 2')
      expect(await judged(at('v2'))).to.equal('signature-missing: tag v2: has no signature, or more than one')
      await repository.commit({ 'a.json': '2' })
      await repository.git('--git-dir', repository.bare, 'update-ref', 'refs/tags/v3', 'refs/tags/v1')
      expect(await judged(at('v3'))).to.equal(`signature-bad: tag v3: was signed as v1, for commit ${commit}`)
    })

  it('G24 that is a directory as it stands is signed by nobody', async () => {
    const keys = [await keyFile('signers', (await sshKey('ada')).line)]
    expect(await judged(source({ url: repository.path, keys }))).to.match(/^signature-missing: /)
  })
})
