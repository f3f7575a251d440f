import { expect } from 'chai'
import { baseName, loadedMark, loadedName } from '../../../../lib/state/running/loaded.ts'

describe('the name of what has loaded routes', () => {
  it('P12 tells their mark, and is the same name without it', () => {
    const name = loadedName('prod.ingress.1', '0123abcd')
    expect([name, loadedMark(name), baseName(name)]).to.deep.equal([
      'prod.ingress.1.routes-0123abcd',
      '0123abcd',
      'prod.ingress.1',
    ])
    expect(loadedName(name, 'ffffffff')).to.equal('prod.ingress.1.routes-ffffffff')
    expect(loadedMark('prod.ingress.1')).to.equal(undefined)
  })
})
