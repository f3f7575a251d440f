import { expect } from 'chai'
import { unseenPlan } from '../../../../../lib/plan/plan.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { waitsTogether } from '../../../../../lib/reconcile/status/plan/waits-together.ts'
import { change, desired } from '../../../../support/builders.ts'

/** A pass over a site that found a plan of one change, which waits for an approval or not. */
function pass(site: string, id: string, { commit = 'c1', waits = true } = {}): PassResult {
  const plan = unseenPlan(desired(), site)
  const changes = id === '' ? [] : [change({ site })]
  const [outcome, sync] = ['needs-confirmation', 'OutOfSync'] as const
  return {
    ...{ site, outcome, sync, errors: [], results: [], status: [] },
    plan: { ...plan, id, changes, unseen: [], revision: { ...plan.revision, commit } },
    waiting: waits ? changes : [],
  }
}

const sites = ['a', 'b', 'c']

describe('what waits on several sites', () => {
  it('G7 G13 is told once all of them were looked at, under one id, and again only if something else waits', () => {
    const tell = waitsTogether()
    expect(tell(pass('a', 'p1'), sites)).to.equal(undefined)
    expect(tell(pass('b', 'p2'), sites)).to.equal(undefined)
    const told = tell(pass('c', 'p3'), sites)
    expect(told).to.deep.include({ changes: 3, sites: 3 })
    expect(tell(pass('a', 'p1'), sites)).to.equal(undefined)
    const other = tell(pass('a', 'p4'), sites)
    expect(other?.id).to.be.a('string').and.not.equal(told?.id)
  })

  it('G7 G13 is told under the id of its own plan if it waits on one of them only', () => {
    const tell = waitsTogether()
    tell(pass('a', 'p1', { waits: false }), sites)
    tell(pass('b', ''), sites)
    expect(tell(pass('c', 'p3'), sites)).to.deep.equal({ id: 'p3', changes: 1, sites: 1 })
  })

  it('G7 is not told before all of them have seen the newest commit, nor where there is only one', () => {
    const tell = waitsTogether()
    for (const site of sites) tell(pass(site, 'p'), sites)
    expect(tell(pass('a', 'q', { commit: 'c2' }), sites)).to.equal(undefined)
    expect(tell(pass('b', 'q', { commit: 'c2' }), sites)).to.equal(undefined)
    expect(tell(pass('c', 'q', { commit: 'c2' }), sites)).to.deep.include({ sites: 3 })
    expect(waitsTogether()(pass('a', 'p'), ['a'])).to.equal(undefined)
  })
})
