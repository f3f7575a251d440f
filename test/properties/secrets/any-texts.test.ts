import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import fc from 'fast-check'
import { resolve } from '../../../lib/resolve.ts'
import { loadSecrets } from '../../../lib/secrets/load.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { snapshotOf } from '../../support/builders/snapshot.ts'
import { secretNames, specificationOfSecrets } from '../../support/files/secret-places.ts'
import { encryptSops } from '../../support/files/sops.ts'

/** Any UTF-16, also what is no text: halves of surrogate pairs, NUL, nothing at all. */
const anyText = fc
  .array(fc.oneof(fc.constantFrom(0, 0x0a, 0x25, 0x7c, 0xd800, 0xdfff), fc.nat(0xffff)), { maxLength: 4 })
  .map(units => String.fromCharCode(...units))

const directory = 'environments/prod'

describe('secrets of any text', () => {
  it('D15 G24 block at most the application that asks for them, wherever it does', async () => {
    const identity = await generateIdentity()
    const recipient = await identityToRecipient(identity)
    // The texts are written into a document whose values are not encrypted, as whoever may write it can.
    const sealed = await encryptSops(
      Object.fromEntries(secretNames.map((name, index) => [name, `TEXT${index}.`])),
      {
        ...{
          format: 'json',
          recipients: [recipient],
          encrypts: () => false,
          metadata: { encrypted_regex: '^none$' },
          macOnlyEncrypted: true,
        },
      },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 10, maxLength: 10 }), async texts => {
        const document = texts.reduce(
          (written, text, index) => written.replace(`"TEXT${index}."`, () => JSON.stringify(text)),
          sealed,
        )
        const snapshot = snapshotOf({
          [`${directory}/manifest.json`]:
            '{"services": [{"name": "shop"}, {"name": "other", "containers": [{"dockerTag": "1"}]}]}',
          [`${directory}/secrets.json`]: document,
          'applications/shop.json': JSON.stringify(specificationOfSecrets),
        })
        const redaction = { learn: () => {}, learnComposed: () => {}, onSite: () => redaction }
        const secrets = await loadSecrets(snapshot, directory, {
          ...{ config: {}, env: { SOPS_AGE_KEY: identity }, key: Buffer.alloc(32), memory: {}, redaction },
        })
        expect(secrets.fault).to.equal(undefined)
        const { applications } = await resolve(
          snapshot,
          { name: 'prod', directory },
          {
            ...{ source: 'team/infra', policy: strictPolicy, healthyMs: 10_000 },
            ...{ sandboxImage: 'busybox:stable', secrets },
          },
        )
        expect(applications.map(({ name }) => name)).to.include('other')
      }),
      { numRuns: 40, examples: [[[...Array(10)].map(() => '\ud800')]] },
    )
  })
})
