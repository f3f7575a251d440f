import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import { createRedaction } from '../../../lib/reconcile/repository/secrets/redaction.ts'
import { markKey } from '../../../lib/secrets/key.ts'
import { type EnvironmentSecrets, loadSecrets, type SecretSources } from '../../../lib/secrets/load.ts'
import { type Files, snapshotOf, symlink } from '../../support/builders/snapshot.ts'
import { encryptSops, type Mapping } from '../../support/files/sops.ts'

const production = 'environments/prod'

describe('the secrets of an environment', () => {
  let identity: string
  let recipient: string

  before(async () => {
    identity = await generateIdentity()
    recipient = await identityToRecipient(identity)
  })

  const encrypt = (tree: Mapping, format: 'yaml' | 'json' = 'yaml') =>
    encryptSops(tree, { format, recipients: [recipient] })
  const load = (files: Files, sources: Partial<SecretSources> = {}): Promise<EnvironmentSecrets> =>
    loadSecrets(snapshotOf(files), production, {
      config: {},
      env: { SOPS_AGE_KEY: identity },
      key: Buffer.from('key'),
      memory: {},
      redaction: createRedaction(),
      ...sources,
    })
  const yaml = `${production}/secrets.yaml`

  it('G16 come from the SOPS file beside the manifest, and from no other environment', async () => {
    const files = {
      [yaml]: await encrypt({ db: { user: 'shop', password: 'word' } }),
      'environments/test/secrets.yaml': 'not looked at',
    }
    const secrets = await load(files)
    expect(secrets.fault).to.equal(undefined)
    expect(secrets.find('db/password')?.reveal()).to.equal('word')
    expect(secrets.find('db/port')).to.equal(undefined)
  })

  it('G24 cannot be read where they are no text, and the others of the file can', async () => {
    const sealed = await encryptSops(
      { odd: 'ODD', word: 'word' },
      {
        ...{ format: 'json', recipients: [recipient], encrypts: () => false, macOnlyEncrypted: true },
        metadata: { encrypted_regex: '^none$' },
      },
    )
    const secrets = await load({ [`${production}/secrets.json`]: sealed.replace('"ODD"', '"a\\ud800"') })
    expect([secrets.fault, secrets.find('odd'), secrets.find('word')?.reveal()]).to.deep.equal([
      undefined,
      undefined,
      'word',
    ])
    const problem = {
      code: 'secrets-unreadable',
      message: 'environments/prod/secrets.json: "odd" holds half of a surrogate pair, which is no character',
    }
    expect([secrets.unreadable?.('odd'), secrets.warnings]).to.deep.equal([problem, [problem]])
  })

  it('A71 of a site go before all others there, and reach nobody else', async () => {
    const north = `${production}/sites/north`
    const redaction = createRedaction()
    const secrets = await load(
      {
        [yaml]: await encrypt({ db: { user: 'shop', password: 'common-word' } }),
        [`${north}/secrets.yaml`]: await encrypt({ db: { password: 'northern-word' }, own: 'only-north' }),
      },
      { redaction },
    )
    const own = await secrets.onSite(north)
    expect(['db/password', 'db/user', 'own'].map(name => own.find(name)?.reveal())).to.deep.equal([
      'northern-word',
      'shop',
      'only-north',
    ])
    expect(['db/password', 'own'].map(name => secrets.find(name)?.reveal())).to.deep.equal([
      'common-word',
      undefined,
    ])
    expect(own.mark).not.to.equal(secrets.mark)
    const said = 'northern-word common-word'
    expect(redaction.onSite('north').redact(said)).to.equal('[REDACTED] [REDACTED]')
    expect(redaction.onSite('south').redact(said)).to.equal('northern-word [REDACTED]')
  })

  it('A71 D15 of a site are unknown there while its file cannot be read, and nowhere else', async () => {
    const north = `${production}/sites/north`
    const secrets = await load({
      [yaml]: await encrypt({ a: 'x' }),
      [`${north}/secrets.yaml`]: 'db: {password: plain}\n',
    })
    const own = await secrets.onSite(north)
    expect(own.fault?.message).to.match(/^environments\/prod\/sites\/north\/secrets.yaml/)
    expect(own.find('a')).to.equal(undefined)
    expect(secrets.fault).to.equal(undefined)
    expect(secrets.find('a')?.reveal()).to.equal('x')
  })

  for (const name of ['secrets.yml', 'secrets.json'])
    it(`G16 may be in ${name}`, async () => {
      const text = await encrypt({ a: 'x' }, name === 'secrets.json' ? 'json' : 'yaml')
      const secrets = await load({ [`${production}/${name}`]: text })
      expect(secrets.find('a')?.reveal()).to.equal('x')
    })

  it('G16 are read from one variable under one name: the second name is refused, and the first is named', async () => {
    const env = { TALLYMAN_SECRET_DB_PASSWORD: 'word' }
    const secrets = await load({}, { env })
    expect(secrets.find('db-password')?.reveal()).to.equal('word')
    expect(secrets.find('DB_PASSWORD')).to.equal(undefined)
    expect(secrets.rival?.('DB_PASSWORD')).to.deep.equal({
      name: 'db-password',
      place: 'TALLYMAN_SECRET_DB_PASSWORD',
    })
    expect(secrets.find('db-password')?.reveal()).to.equal('word')
    expect(secrets.rival?.('db-password')).to.equal(undefined)
  })

  it('G16 of two names that mean one variable the one that a file gives is no rival', async () => {
    const env = { TALLYMAN_SECRET_DB_PASSWORD: 'variable', SOPS_AGE_KEY: identity }
    const secrets = await load({ [yaml]: await encrypt({ 'db-password': 'file' }) }, { env })
    expect(secrets.find('db-password')?.reveal()).to.equal('file')
    expect(secrets.find('DB_PASSWORD')?.reveal()).to.equal('variable')
  })

  it('G16 are read from environment variables: db/password is TALLYMAN_SECRET_DB_PASSWORD', async () => {
    const secrets = await load({}, { env: { TALLYMAN_SECRET_DB_PASSWORD: 'word', DB_PASSWORD: 'other' } })
    expect(secrets.find('db/password')?.reveal()).to.equal('word')
    expect(secrets.find('password')).to.equal(undefined)
  })

  it('G16 of the repository go before those of the environment', async () => {
    const env = { SOPS_AGE_KEY: identity, TALLYMAN_SECRET_A: 'variable', TALLYMAN_SECRET_B: 'variable' }
    const secrets = await load({ [yaml]: await encrypt({ a: 'repository' }) }, { env })
    expect(secrets.find('a')?.reveal()).to.equal('repository')
    expect(secrets.find('b')?.reveal()).to.equal('variable')
  })

  it('G16 are listed below a prefix, sorted and without it', async () => {
    const tree = { vault: { db: { user: 'u', password: 'p', tls: { key: 'k' } } }, 'vault/database': 'no' }
    const secrets = await load({ [yaml]: await encrypt(tree) })
    expect(secrets.below('vault/db/')).to.deep.equal(['password', 'tls/key', 'user'])
    expect(secrets.below('vault/cache/')).to.deep.equal([])
  })

  describe('when the SOPS file cannot be read', () => {
    const broken = { [yaml]: 'password: "hunter2' }

    it('G16 say so by file and reason, without what it holds, and fail nothing', async () => {
      const { fault } = await load(broken)
      expect(fault?.code).to.equal('secrets-undecryptable')
      expect(fault?.message).to.equal(`${yaml}:1:19: cannot be read as YAML 1.2 (yaml-invalid)`)
      expect(JSON.stringify(fault)).to.not.contain('hunter2')
    })

    it('G16 give none from elsewhere: the file might have another', async () => {
      const secrets = await load(broken, { env: { TALLYMAN_SECRET_A: 'stale' } })
      expect(secrets.find('a')).to.equal(undefined)
    })

    for (const [what, files, message] of [
      [
        'two files',
        { [yaml]: '', [`${production}/secrets.json`]: '{}' },
        `${production}: holds secrets.json and secrets.yaml; keep only one of them`,
      ],
      ['a link', { [yaml]: symlink }, `${yaml}: leads through a symlink`],
      ['a file in the open', { [yaml]: 'a: b' }, `${yaml}: is not encrypted: it has no metadata of SOPS`],
    ] as const)
      it(`G16 ${what}`, async () => expect((await load(files)).fault?.message).to.equal(message))

    it('G16 and the age key file is missing', async () => {
      const config = { ageKeyFile: '/nowhere/age.key' }
      const { fault } = await load({ [yaml]: await encrypt({ a: 'x' }) }, { config })
      expect(fault?.message).to.equal('/nowhere/age.key: the age keys cannot be read (ENOENT)')
    })

    it('G12 and the age key file is a pipe, as of a program that writes it once: it is not waited for', async () => {
      using directory = mkdtempDisposableSync(join(tmpdir(), 'tallyman-keys-'))
      const pipe = join(directory.path, 'age.key')
      execFileSync('mkfifo', [pipe])
      for (const where of [{ config: { ageKeyFile: pipe } }, { env: { SOPS_AGE_KEY_FILE: pipe } }]) {
        const { fault } = await load({ [yaml]: await encrypt({ a: 'x' }) }, where)
        expect(fault?.message).to.equal(`${pipe}: the age keys cannot be read (not a file)`)
      }
    })
  })

  it('G16 need no age key while the repository has no SOPS file', async () => {
    expect((await load({}, { config: { ageKeyFile: '/nowhere/age.key' } })).fault).to.equal(undefined)
  })

  describe('decryption', () => {
    it('G16 is done once for each content', async () => {
      const memory: SecretSources['memory'] = {}
      const first = await encrypt({ a: 'first' })
      await load({ [yaml]: first }, { memory })
      const remembered = memory.last
      await load({ [yaml]: first }, { memory })
      expect(memory.last).to.equal(remembered)
      const changed = await load({ [yaml]: await encrypt({ a: 'second' }) }, { memory })
      expect(changed.find('a')?.reveal()).to.equal('second')
    })

    it('G16 is tried again when a key comes', async () => {
      const memory: SecretSources['memory'] = {}
      const files = { [yaml]: await encrypt({ a: 'x' }) }
      expect((await load(files, { memory, env: {} })).fault?.message).to.contain('no age key is configured')
      expect((await load(files, { memory })).find('a')?.reveal()).to.equal('x')
    })
  })

  describe('marks', () => {
    const withEnv = (env: NodeJS.ProcessEnv, key = 'key') => load({}, { env, key: Buffer.from(key) })

    it('G16 of equal texts are equal, of others and under another key they are not', async () => {
      const secrets = await withEnv({
        TALLYMAN_SECRET_A: 'x',
        TALLYMAN_SECRET_B: 'x',
        TALLYMAN_SECRET_C: 'y',
      })
      const other = await withEnv({ TALLYMAN_SECRET_A: 'x' }, 'other')
      expect(secrets.find('a')?.mark).to.match(/^[0-9a-f]{16}$/)
      expect(secrets.find('a')?.mark).to.equal(secrets.find('b')?.mark)
      expect(secrets.find('a')?.mark).to.not.equal(secrets.find('c')?.mark)
      expect(secrets.find('a')?.mark).to.not.equal(other.find('a')?.mark)
    })

    it('G16 of all change when any secret does, and only then', async () => {
      const before = await withEnv({ TALLYMAN_SECRET_A: 'x', TALLYMAN_SECRET_B: 'y', PATH: '/bin' })
      const same = await withEnv({ TALLYMAN_SECRET_B: 'y', TALLYMAN_SECRET_A: 'x', PATH: '/sbin' })
      const changed = await withEnv({ TALLYMAN_SECRET_A: 'x', TALLYMAN_SECRET_B: 'z' })
      const swapped = await withEnv({ TALLYMAN_SECRET_A: 'y', TALLYMAN_SECRET_B: 'x' })
      expect(same.mark).to.equal(before.mark)
      expect(new Set([before.mark, changed.mark, swapped.mark]).size).to.equal(3)
    })

    it('G16 of all change when they cannot be read any more', async () => {
      expect((await load({ [yaml]: 'a: b' })).mark).to.not.equal((await load({})).mark)
    })

    it('G16 of a text made of others are those of the text', async () => {
      const secrets = await withEnv({ TALLYMAN_SECRET_URL: 'postgres://shop:word@db' })
      const composed = secrets.compose('postgres://shop:word@db')
      expect(composed.reveal()).to.equal('postgres://shop:word@db')
      expect(composed.mark).to.equal(secrets.find('url')?.mark)
    })

    it('G16 without a state directory are of that moment', async () => {
      expect(await markKey(undefined)).to.not.deep.equal(await markKey(undefined))
    })
  })

  it('G16 never show themselves, whatever is printed', async () => {
    const canary = 'canary-7f3a'
    const env = { SOPS_AGE_KEY: identity, TALLYMAN_SECRET_A: canary }
    const secrets = await load({ [yaml]: await encrypt({ b: canary }) }, { env })
    const printed = [secrets, secrets.find('a'), secrets.find('b'), secrets.compose(canary)].flatMap(
      value => [JSON.stringify(value), inspect(value, { depth: 10, showHidden: true })],
    )
    expect(printed.join('\n')).to.not.contain(canary)
  })
})
