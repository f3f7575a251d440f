import { expect } from 'chai'
import { refusal } from '../../support/failures/refusal.ts'
import { growth, mostInProportion } from '../../support/measure/growth.ts'
import { ownIdentity } from '../../unit/secrets/own-identity.ts'

const { encrypt, decrypt } = await ownIdentity()

describe('SOPS documents', () => {
  describe('values', () => {
    it('G16 may be as large as a document may be', async () => {
      const word = 'x'.repeat(500_000)
      expect(await decrypt(await encrypt({ word }))).to.deep.equal({ word })
    })
  })

  describe('what is no SOPS document', () => {
    it('G24 takes no longer for as many keys as fit into its 1 MiB than for few', async () => {
      const textOf = async (count: number) => {
        const keys = Array.from({ length: count }, (_, index) => `k${index}`)
        const text = await encrypt(Object.fromEntries(keys.map(key => [key, ''])), { format: 'json' })
        return text.replaceAll(/\n\t*/g, '')
      }
      const texts = new Map([
        [8_000, await textOf(8_000)],
        [80_000, await textOf(80_000)],
      ])
      const read = (count: number) => decrypt(texts.get(count) ?? '', 'secrets.json')
      expect(await growth(read, 8_000)).to.be.below(mostInProportion)
      expect(Object.keys(await read(80_000))).to.have.lengthOf(80_000)
    })

    it('G24 long keys around many values are refused, because each value has the name of them all', async () => {
      const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, '']))
      const small = await encrypt({ key: 'text' }, { format: 'json' })
      const text = small
        .replace('"key"', JSON.stringify('x'.repeat(100_000)))
        .replace(/"ENC[^"]*"/, JSON.stringify(many))
      expect(await refusal(() => decrypt(text, 'secrets.json'))).to.deep.equal([
        'secrets.json: the keys on the way to its values have together more than 8388608 characters (secrets-undecryptable)',
      ])
    })

    it('G24 ten million aliases are refused', async () => {
      const levels = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
      for (const [index, name] of [...'bcdefgh'].entries()) {
        const before = 'abcdefgh'[index]
        levels.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`)
      }
      expect(await refusal(() => decrypt(levels.join('\n')))).to.match(/document-too-complex/)
    })
  })
})
