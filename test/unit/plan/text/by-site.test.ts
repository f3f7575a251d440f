import { expect } from 'chai'
import { type Change, titleOf } from '../../../../lib/plan/change/change.ts'
import { sitesInPlan, toldOnce as told } from '../../../../lib/plan/text/by-site.ts'
import { atSites } from '../../../../lib/text/sites/at-sites.ts'
import { change } from '../../../support/builders/builders.ts'

const on = (sites: readonly string[], more: Parameters<typeof change>[0] = {}) =>
  sites.map(site => change({ site, ...more }))
const text = (one: Change) => `${titleOf(one)}: ${one.reason}`

const toldOnce = (
  changes: readonly Change[],
  textOf: (one: Change, sites: readonly string[]) => string,
  every: boolean,
) => told(changes, textOf, sites => sitesInPlan(sites, every))

describe('changes on several sites', () => {
  it('G7 are told once where they read the same, with the sites that have them', () => {
    const changes = on(['berlin', 'paris'], { application: 'web', service: 'web', reason: '1 → 2' })
    expect(toldOnce(changes, text, false)).to.deep.equal(['web on 2 sites: berlin, paris: 1 → 2'])
  })

  it('G7 name three sites of more, and all of them when asked', () => {
    const changes = on(['a', 'b', 'c', 'd', 'e'], { application: 'web', service: 'web', reason: 'new' })
    expect(toldOnce(changes, text, false)).to.deep.equal([
      'web on 5 sites: a, b, c … (--sites lists them): new',
    ])
    expect(toldOnce(changes, text, true)).to.deep.equal(['web on 5 sites: a, b, c, d, e: new'])
  })

  it('G7 are told apart where they differ in anything else, in the order in which they come', () => {
    const changes = [
      ...on(['a'], { application: 'web', service: 'web', reason: '1 → 2' }),
      ...on(['b'], { application: 'web', service: 'web', reason: '2 → 3' }),
      ...on(['c'], { application: 'web', service: 'web', reason: '1 → 2' }),
      ...on(['a'], { application: 'db', service: 'db', reason: '1 → 2' }),
    ]
    expect(toldOnce(changes, text, false)).to.deep.equal([
      'web on 2 sites: a, c: 1 → 2',
      'web on b: 2 → 3',
      'db on a: 1 → 2',
    ])
  })

  it('G7 G13 name their sites in what they tell to run', () => {
    const reason = 'run "tallyman force-upgrade web 2 --site SITE"'
    const changes = on(['berlin', 'paris'], { application: 'web', service: 'web', reason })
    const asked = (one: Change, sites: readonly string[]) => atSites(text(one), sites)
    expect(toldOnce(changes, asked, false)).to.deep.equal([
      'web on 2 sites: berlin, paris: run "tallyman force-upgrade web 2 --site berlin --site paris"',
    ])
    expect(toldOnce(changes.slice(1), asked, false)).to.deep.equal([
      'web on paris: run "tallyman force-upgrade web 2 --site paris"',
    ])
  })

  it('G7 are never put together on one site', () => {
    const changes = on(['local', 'local'], { application: 'web', service: 'web', reason: '1 → 2' })
    expect(toldOnce(changes, text, false)).to.deep.equal(['web: 1 → 2', 'web: 1 → 2'])
  })
})
