import { expect } from 'chai'
import type { Failure } from '../../../../lib/errors.ts'
import { knownName, unknownName } from '../../../../lib/text/suggestion/unknown-name.ts'

describe('a name', () => {
  it('that is known is given back', () => {
    expect(knownName('site', 'store-1', ['local', 'store-1'])).to.equal('store-1')
  })

  it('that nobody knows is refused as wrong usage, with the nearest and with all there are', () => {
    const told = ({ code, message, hint }: Failure) => `${code}: ${message} ${hint}`
    expect(told(unknownName('application', 'wep', ['web', 'api', 'web']))).to.equal(
      'wrong-usage: there is no application "wep"; did you mean "web"? There are: api, web.',
    )
    expect(told(unknownName('site', 'x', []))).to.equal(
      'wrong-usage: there is no site "x" No site is known, so there is none to name.',
    )
  })
})
