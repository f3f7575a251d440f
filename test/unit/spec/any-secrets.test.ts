import { expect } from 'chai'
import { isRecord } from '../../../lib/object.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { hashOf } from '../../../lib/state/canonical.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import type { Secrets } from '../../../lib/state/secret/secrets.ts'
import { secretNames, specificationOfSecrets } from '../../support/files/secret-places.ts'
import { built } from './built.ts'

/** As providers have them. */
const known: Secrets = {
  find: name => (secretNames.includes(name) ? new Secret(name, hashOf(name)) : undefined),
  below: prefix => secretNames.filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length)),
  compose: text => new Secret(text, hashOf(text)),
  mark: 'mark',
}

function madeOf(written: unknown, secrets: Secrets) {
  return built(JSON.stringify(written), { secrets })
}

/** Each text in a value as another text, one at a time, and where it stands. `type` is one of a few words. */
function changedTexts(value: unknown, at = ''): readonly { readonly at: string; readonly value: unknown }[] {
  if (typeof value === 'string') return [{ at, value: `${value.replace(/.$/, '')}0` }]
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      changedTexts(item, `${at}/${index}`).map(one => ({ ...one, value: value.with(index, one.value) })),
    )
  if (!isRecord(value)) return []
  const texts = Object.entries(value).filter(([key]) => key !== 'type')
  return texts.flatMap(([key, item]) =>
    changedTexts(item, `${at}/${key}`).map(one => ({ ...one, value: { ...value, [key]: one.value } })),
  )
}

describe('a specification that is read without its secrets', () => {
  it('E14 G16 is right if it is right with them', () => {
    expect(madeOf(specificationOfSecrets, known).problems).to.deep.equal([])
    expect(madeOf(specificationOfSecrets, anySecrets).problems).to.deep.equal([])
  })

  it('A45 has a file of any name in a vault-secret, but none whose name is no file', () => {
    const file = (name: string) => ({
      name: 'shop',
      services: [
        {
          name: 'web',
          volumes: [{ name: 'tls', 'vault-secret': { vault: 'shop', secret: 'tls' } }],
          containers: [
            {
              ...{ name: 'web', image: 'web:1' },
              mounts: [{ 'volume-name': 'tls', files: [{ name, 'mount-path': '/etc/key' }] }],
            },
          ],
        },
      ],
    })
    const { application, problems } = madeOf(file('key.pem'), anySecrets)
    expect(problems).to.deep.equal([])
    const files = application.services[0]?.instances[0]?.containers[0].files ?? []
    expect(files.map(({ path, content }) => [path, `${content}`])).to.deep.equal([['/etc/key', '(secret)']])
    expect(madeOf(file('../key'), anySecrets).problems).to.have.lengthOf(1)
  })

  for (const { at, value } of changedTexts(specificationOfSecrets))
    it(`E23 A12 is another one with another text at ${at}`, () => {
      const [before, after] = [specificationOfSecrets, value].map(written => {
        const { application, problems } = madeOf(written, anySecrets)
        return [hashOf(application), problems]
      })
      expect(after).to.not.deep.equal(before)
    })
})
