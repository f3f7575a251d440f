import { expect } from 'chai'
import { createWhoseSites } from '../../../../../lib/reconcile/site/writer/whose-sites.ts'

describe('whose the sites of an environment are', () => {
  it('D17 is known once each of them was asked', () => {
    const whose = createWhoseSites()
    whose.set('a', 'ours')
    expect(whose.areOurs(2, false)).to.equal(false)
    whose.set('b', 'none')
    expect([whose.areOurs(2, false), whose.areOurs(2, true)]).to.deep.equal([true, true])
  })

  it('D17 a process moves nothing if it writes to none of them', () => {
    const whose = createWhoseSites()
    whose.set('a', 'none')
    expect(whose.areOurs(1, false)).to.equal(false)
    whose.set('a', 'theirs')
    expect([whose.areOurs(1, false), [...whose.theirs()]]).to.deep.equal([false, ['a']])
  })

  it('D17 a process is not alone while another one writes to one of them', () => {
    const whose = createWhoseSites()
    whose.set('a', 'ours')
    whose.set('b', 'theirs')
    expect([whose.areOurs(2, false), whose.areOurs(2, true)]).to.deep.equal([true, false])
    whose.forget('b')
    whose.set('b', 'ours')
    expect(whose.areOurs(2, true)).to.equal(true)
  })
})
