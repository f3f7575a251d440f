import { readFileSync } from 'node:fs'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import { parseIdentities } from '../../../lib/secrets/age.ts'
import { decryptSops } from '../../../lib/secrets/sops.ts'
import { decryptValue } from '../../../lib/secrets/sops-value.ts'
import { refusal } from '../../support/failures/refusal.ts'
import { fixtureDirectory } from '../../support/files/fixture.ts'
import { comment } from '../../support/files/sops.ts'
import { ownIdentity } from './own-identity.ts'

const { identity, recipient, encrypt, decrypt } = await ownIdentity()

describe('SOPS documents', () => {
  describe('values', () => {
    it('G16 opens the value that SOPS tests its own cipher with', () => {
      const written =
        'ENC[AES256_GCM,data:oYyi,iv:MyIDYbT718JRr11QtBkcj3Dwm4k1aCGZBVeZf0EyV8o=,tag:t5z2Z023Up0kxwCgw1gNxg==,type:str]'
      const key = Buffer.from('f'.repeat(32))
      expect(decryptValue(written, key, 'bar:')).to.deep.equal({
        ok: true,
        value: { kind: 'text', text: 'foo', counted: Buffer.from('foo') },
      })
      expect(decryptValue(written, key, '')).to.have.property('ok', false)
    })

    for (const format of ['yaml', 'json'] as const)
      it(`G16 have the names that lead to them, in ${format}`, async () => {
        const text = await encrypt({ db: { user: 'shop', tls: { key: 'k' } }, token: 't' }, { format })
        expect(await decrypt(text, `secrets.${format}`)).to.deep.equal({
          'db/user': 'shop',
          'db/tls/key': 'k',
          token: 't',
        })
      })

    it('G16 are texts whatever their type: numbers, booleans, the empty text; null is no secret', async () => {
      const text = await encrypt({ port: 5432, ratio: 0.5, debug: false, empty: '', none: null })
      expect(await decrypt(text)).to.deep.equal({ port: '5432', ratio: '0.5', debug: 'false', empty: '' })
    })

    it('G16 count for the MAC in the order of the file, also under keys that are numbers', async () => {
      const tree = new Map(['b', '10', '2', 'a'].map(key => [key, `text of ${key}`]))
      expect(await decrypt(await encrypt(tree))).to.deep.equal({
        '10': 'text of 10',
        '2': 'text of 2',
        a: 'text of a',
        b: 'text of b',
      })
    })

    it('G16 of lists are numbered without the comments between them', async () => {
      const text = await encrypt({ hosts: [comment(' first'), 'a', comment(' second'), 'b'] })
      expect(await decrypt(text)).to.deep.equal({ 'hosts/0': 'a', 'hosts/1': 'b' })
    })

    it('G16 stand beside comments, which count for nothing', async () => {
      const text = await encrypt({ '# of the database': null, db: { '# not this one': null, user: 'shop' } })
      expect(text).to.contain('#ENC[')
      expect(await decrypt(text)).to.deep.equal({ 'db/user': 'shop' })
    })

    it('G16 keep every character', async () => {
      const word = ' ünïcödé "quoted" \\ $\n\ttwo lines\n'
      expect(await decrypt(await encrypt({ word }))).to.deep.equal({ word })
    })
  })

  describe('numbers are counted as SOPS spells them', () => {
    for (const [number, spelled] of [
      [1e21, '1000000000000000000000'],
      [1.5e-7, '0.00000015'],
      [-2.5e22, '-25000000000000000000000'],
    ] as const)
      it(`G16 ${number} as ${spelled}`, async () => {
        const plan = { encrypts: () => false, metadata: { encrypted_suffix: '_secret' } }
        const asText = await encrypt({ number: spelled }, plan)
        const asNumber = asText.replace(`"number": "${spelled}"`, `"number": ${number}`)
        expect(asNumber).to.not.equal(asText)
        expect(await decrypt(asNumber)).to.deep.equal({ number: spelled })
      })
  })

  describe('rules of what is encrypted', () => {
    const tree = { data: { token: 'hidden' }, open_plain: { token: 'seen' } }
    const both = { 'data/token': 'hidden', 'open_plain/token': 'seen' }
    const onlyData = (keys: readonly string[]) => keys[0] === 'data'
    for (const metadata of [
      { unencrypted_suffix: '_plain' },
      { encrypted_suffix: 'ata' },
      { unencrypted_regex: '^open_' },
      { encrypted_regex: '^(data|stringData)$' },
      { encrypted_regex: '(?i)^DATA$' },
      { unencrypted_comment_regex: 'in the open' },
      { encrypted_comment_regex: 'hide' },
    ])
      it(`G16 ${JSON.stringify(metadata)}`, async () => {
        expect(await decrypt(await encrypt(tree, { encrypts: onlyData, metadata }))).to.deep.equal(both)
      })

    it('G16 without a rule, keys that end with _unencrypted', async () => {
      const text = await encrypt(
        { url_unencrypted: 'seen', key: 'hidden' },
        { encrypts: ([key]) => key === 'key' },
      )
      expect(await decrypt(text)).to.deep.equal({ url_unencrypted: 'seen', key: 'hidden' })
    })

    it('G16 refuses two rules at once', async () => {
      const metadata = { encrypted_suffix: 'a', encrypted_regex: 'b' }
      const text = await encrypt({ a: 'x' }, { metadata })
      expect(await refusal(() => decrypt(text))).to.deep.equal([
        'secrets.yaml: has more than one rule of what is encrypted: encrypted_suffix, encrypted_regex (secrets-undecryptable)',
      ])
    })

    it('G16 refuses a value that should be encrypted and is not, also where the MAC would not count it', async () => {
      const text = await encrypt({ a: 'x' }, { macOnlyEncrypted: true })
      expect(await refusal(() => decrypt(`"b": "planted"\n${text}`))).to.deep.equal([
        'secrets.yaml:1:1: the value of "b" is not encrypted, but must be (secrets-tampered)',
      ])
    })

    it('G24 an expression that would take for ever takes no time', async () => {
      const metadata = { unencrypted_regex: '^(a+)+$' }
      const text = await encrypt({ [`${'a'.repeat(500)}!`]: 'x' }, { metadata })
      expect(Object.values(await decrypt(text))).to.deep.equal(['x'])
    })
  })

  describe('the MAC', () => {
    const tampered = [
      'secrets.yaml: its MAC does not match: it was changed without SOPS after it was encrypted (secrets-tampered)',
    ]

    it('G16 finds a value that was taken away', async () => {
      const text = await encrypt({ a: 'x', b: 'y' })
      expect(await refusal(() => decrypt(text.replace(/^"a": .*\n/, '')))).to.deep.equal(tampered)
    })

    it('G16 finds an open value that was changed', async () => {
      const encrypts = ([key = '']: readonly string[]) => key === 'a'
      const text = await encrypt({ a: 'x', url_unencrypted: 'https://a.example.com' }, { encrypts })
      expect(await refusal(() => decrypt(text.replace('a.example.com', 'b.example.com')))).to.deep.equal(
        tampered,
      )
    })

    it('G16 lets open values change where SOPS was told so (mac_only_encrypted)', async () => {
      const encrypts = ([key = '']: readonly string[]) => key === 'a'
      const text = await encrypt({ a: 'x', url_unencrypted: 'old' }, { encrypts, macOnlyEncrypted: true })
      expect(await decrypt(text.replace('"old"', '"new"'))).to.deep.equal({ a: 'x', url_unencrypted: 'new' })
    })

    it('G16 is another one where only encrypted values count: the mark cannot be planted', async () => {
      const text = await encrypt({ a: 'x' })
      const planted = text.replace('"version"', '"mac_only_encrypted": true\n    "version"')
      expect(await refusal(() => decrypt(planted))).to.deep.equal(tampered)
    })

    it('G16 is bound to the time of the last change', async () => {
      const text = await encrypt({ a: 'x' })
      expect(await refusal(() => decrypt(text.replace('2024-05-21', '2024-05-22')))).to.deep.equal(tampered)
    })

    it('G16 must be there', async () => {
      const text = await encrypt({ a: 'x' }, { metadata: { mac: '' } })
      expect(await refusal(() => decrypt(text))).to.deep.equal([
        'secrets.yaml: has no MAC (secrets-undecryptable)',
      ])
    })

    it('G16 is not asked where a value was altered by hand: its place is named, as one that was changed without SOPS', async () => {
      const text = await encrypt({ db: { password: 'y' } })
      const altered = text.replace(/data:(.)/, (_, first) => `data:${first === 'A' ? 'B' : 'A'}`)
      expect(await refusal(() => decrypt(altered))).to.deep.equal([
        'secrets.yaml:2:5: the value of "db/password" was changed, moved or encrypted with another data key (secrets-tampered)',
      ])
    })

    it('G16 is not asked where a value was moved: it is bound to its place', async () => {
      const text = await encrypt({ user: 'x', password: 'y' })
      const moved = text.replace('"user"', '"other"')
      expect(await refusal(() => decrypt(moved))).to.deep.equal([
        'secrets.yaml:1:1: the value of "other" was changed, moved or encrypted with another data key (secrets-tampered)',
      ])
    })

    it('G16 a tag cut short opens nothing', async () => {
      const text = await encrypt({ a: 'x' })
      const cut = text.replace(/tag:[^,]+/, 'tag:AAAAAA==')
      expect(await refusal(() => decrypt(cut))).to.have.length(1)
    })
  })

  describe('keys', () => {
    it('G16 any of several recipients can read', async () => {
      const other = await identityToRecipient(await generateIdentity())
      const text = await encrypt({ a: 'x' }, { recipients: [other, recipient] })
      expect(await decrypt(text)).to.deep.equal({ a: 'x' })
    })

    it('G16 a post-quantum key is an age key too', async () => {
      const { generateHybridIdentity } = await import('age-encryption')
      const hybrid = await generateHybridIdentity()
      const text = await encrypt({ a: 'x' }, { recipients: [await identityToRecipient(hybrid)] })
      expect([...(await decryptSops('s.yaml', text, parseIdentities('keys', hybrid)))]).to.deep.equal([
        ['a', 'x'],
      ])
    })

    it('G16 a key that fits nobody is told from no key at all', async () => {
      const text = await encrypt({ a: 'x' })
      const other = await generateIdentity()
      expect(await refusal(() => decryptSops('s.yaml', text, [other]))).to.deep.equal([
        `s.yaml: is encrypted for ${recipient}, and none of the configured age keys fits (secrets-undecryptable)`,
      ])
      expect(await refusal(() => decryptSops('s.yaml', text, []))).to.deep.equal([
        `s.yaml: is encrypted for ${recipient}, and no age key is configured (secrets-undecryptable)`,
      ])
    })

    it('G16 a document for other kinds of keys is refused and says for which', async () => {
      const metadata = { pgp: [{ fp: 'AB', enc: '…' }], kms: [{ arn: 'a', enc: '…' }], hc_vault: [] }
      const text = await encrypt({ a: 'x' }, { recipients: [], metadata })
      expect(await refusal(() => decrypt(text))).to.deep.equal([
        'secrets.yaml: is encrypted for pgp, kms and for no age key; add an age recipient with "sops rotate --add-age" (secrets-undecryptable)',
      ])
    })

    it('G16 a document whose key is shared among groups is refused', async () => {
      const group = { age: [{ recipient, enc: '…' }] }
      const metadata = { key_groups: [group, group], shamir_threshold: 2 }
      const text = await encrypt({ a: 'x' }, { recipients: [], metadata })
      expect(await refusal(() => decrypt(text))).to.deep.equal([
        'secrets.yaml: shares its data key among 2 key groups (Shamir), which is not supported (secrets-undecryptable)',
      ])
    })

    it('G16 the text of a key file: one a line, with comments', () => {
      expect(parseIdentities('keys', `# created\r\n\r\n${identity}\r\n${identity}\n`)).to.deep.equal([
        identity,
        identity,
      ])
    })

    it('G16 a line that is no key is named by its number only', async () => {
      expect(await refusal(() => parseIdentities('keys', '# one\nhunter2\n'))).to.deep.equal([
        'keys:2: is no age key (AGE-SECRET-KEY-1…) (secrets-undecryptable)',
      ])
    })

    it('G16 a key with a wrong letter is refused, and not repeated', async () => {
      const text = await encrypt({ a: 'x' })
      const wrong = identity.slice(0, -1) + (identity.endsWith('Q') ? 'P' : 'Q')
      expect(await refusal(() => decryptSops('s.yaml', text, [wrong]))).to.deep.equal([
        'an age key that is configured is misspelled: its checksum is wrong (secrets-undecryptable)',
      ])
    })
  })

  describe('what is no SOPS document', () => {
    it('G16 a file that was committed in the open is refused, and not repeated', async () => {
      expect(await refusal(() => decrypt('db: {password: hunter2}'))).to.deep.equal([
        'secrets.yaml: is not encrypted: it has no metadata of SOPS (secrets-undecryptable)',
      ])
    })

    it('G16 broken YAML and JSON are named by their place, without what stands there', async () => {
      expect(await refusal(() => decrypt('password: "hunter2\n'))).to.deep.equal([
        'secrets.yaml:2:1: cannot be read as YAML 1.2 (yaml-invalid) (secrets-undecryptable)',
      ])
      expect(await refusal(() => decrypt('{"password": hunter2}', 'secrets.json'))).to.deep.equal([
        'secrets.json:1:14: cannot be read as JSON (json-invalid) (secrets-undecryptable)',
      ])
    })

    it('G24 more than 1 MiB is not looked at', async () => {
      expect(await refusal(() => decrypt('x'.repeat(1024 * 1024 + 1)))).to.deep.equal([
        'secrets.yaml: longer than 1048576 characters (secrets-undecryptable)',
      ])
    })

    it('G16 two values of one name are refused', async () => {
      const text = await encrypt({ 'db/user': 'x', db: { user: 'y' } })
      expect(await refusal(() => decrypt(text))).to.deep.equal([
        'secrets.yaml:3:5: a second value has the name "db/user" (secrets-undecryptable)',
      ])
    })
  })

  describe('a data key that the program age 1.1.1 encrypted', () => {
    const read = async (path: string) => {
      const text = (name: string) => readFileSync(`${fixtureDirectory('secrets')}/${name}`, 'utf8')
      const identities = parseIdentities('age.key', text('age.key'))
      return Object.fromEntries(await decryptSops(path, text(path), identities))
    }

    it('G16 opens YAML for two recipients, with comments and every type', async () => {
      expect(await read('environments/prod/secrets.yaml')).to.deep.equal({
        'db/user': 'shop',
        'db/password': 'correct horse battery staple',
        'db/port': '5432',
        'db/ratio': '0.25',
        'db/tls': 'true',
        'db/note': '',
        'db/hosts/0': 'db1.example.com',
        'db/hosts/1': 'db2.example.com',
        'tls/key': '-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n',
        url_unencrypted: 'https://shop.example.com',
      })
    })

    it('G16 opens JSON whose MAC counts encrypted values only', async () => {
      expect(await read('environments/test/secrets.json')).to.deep.equal({
        'data/token': 'correct horse battery staple',
        kind: 'Secret',
      })
    })
  })
})
