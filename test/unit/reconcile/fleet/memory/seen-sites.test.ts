import { expect } from 'chai'
import { createSeenSites } from '../../../../../lib/reconcile/fleet/memory/seen-sites.ts'

describe('what was seen on sites', () => {
  it('A31 what is being changed says nothing until it was seen again, also on a site that was not seen yet', () => {
    const seen = createSeenSites()
    seen.setChanging('a', ['shop'])
    seen.setChanging('a', ['blog'])
    expect(['shop', 'blog', 'api'].map(name => seen.isChanged('a', name))).to.deep.equal([true, true, false])
    seen.set('a', { applications: [], changed: ['blog'] }, 1)
    expect(['shop', 'blog'].map(name => seen.isChanged('a', name))).to.deep.equal([false, true])
    seen.set('a', { applications: [] }, 2)
    expect(seen.isChanged('a', 'blog')).to.equal(false)
  })

  it('A31 what is repaired beside a pass says nothing after its end, which saw it before', () => {
    const seen = createSeenSites()
    seen.setChanging('a', ['shop'], 20)
    seen.set('a', { applications: [] }, 19)
    expect(seen.isChanged('a', 'shop')).to.equal(true)
    seen.set('a', { applications: [] }, 20)
    expect(seen.isChanged('a', 'shop')).to.equal(false)
  })
})
