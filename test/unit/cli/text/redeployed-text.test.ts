import { expect } from 'chai'
import { redeployedText } from '../../../../lib/cli/text/redeployed-text.ts'

describe('what redeploy says', () => {
  const said = (joins?: readonly string[], leaves?: readonly string[]) =>
    redeployedText({ redeployed: 'shop', ...(joins && leaves ? { joins, leaves } : {}) })

  it('A25 G13 names the sites that come and those that go, as far as that can be told', () => {
    const anew = 'The sites of shop are evaluated anew'
    expect(said(['west'], ['south'])).to.equal(`${anew}: it leaves south, and it comes to west.`)
    expect(said(['e', 'w'], [])).to.equal(`${anew}: it comes to 2 sites: e, w.`)
    expect(said([], [])).to.equal(`${anew}: they stay the same.`)
    expect(said()).to.equal(`${anew}.`)
  })
})
