import { expect } from 'chai'
import { splitKey } from '../../../../lib/plan/change/change.ts'

describe('the key of a change', () => {
  for (const [key, site, application, service] of [
    ['local/shop/web', 'local', 'shop', 'web'],
    ['rack/1/shop/web', 'rack/1', 'shop', 'web'],
    ['shop/web', '', 'shop', 'web'],
    ['shop', '', '', 'shop'],
    ['/shop', '', '', 'shop'],
    ['', '', '', ''],
  ] as const)
    it(`G13 ${key === '' ? 'that is empty' : key} is split, also where an error names less`, () => {
      expect(splitKey(key)).to.deep.equal({ site, application, service })
    })
})
