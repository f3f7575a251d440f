import { expect } from 'chai'
import { isDocumentName, isNearlyDocumentName } from '../../../../lib/state/repository/layout.ts'

describe('the name of a document', () => {
  it('E1 is read in small letters, and taken for a mistake otherwise', () => {
    const judged = (name: string) => [isDocumentName(name), isNearlyDocumentName(name)]
    for (const name of ['shop.yaml', 'shop.yml', 'shop.json'])
      expect(judged(name)).to.deep.equal([true, false])
    for (const name of ['shop.YAML', 'shop.Yml', 'shop.JSON'])
      expect(judged(name)).to.deep.equal([false, true])
    for (const name of ['shop', 'shop.yaml~', 'yaml']) expect(judged(name)).to.deep.equal([false, false])
  })
})
