import { expect } from 'chai'
import { joinedIn, withJoined } from '../../../../../lib/reconcile/status/deployment/joined-sites.ts'
import { labelsOf } from '../../../../../lib/state/fleet/labels.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

describe('a site that joins while a deployment goes on', () => {
  it('A34 G13 is in sync with nothing of it, unless nobody has seen yet what it has', () => {
    const journal = memoryJournal()
    const placement = { kind: 'all-sites' } as const
    journal.setPlacement('prod', {
      deployment: { name: 'shop', application: 'shop', placement, revision: 'r1', healthyMs: 0 },
      ...{ sites: ['near'], canaries: [], known: { near: '' } },
    })
    const sites = ['near', 'new', 'dark'].map(name => ({ name, labels: labelsOf([]) }))
    const rows = withJoined({ environment: 'prod', journal, sites }, [], site => site !== 'dark')
    expect(rows.map(({ site, sync, health }) => [site, sync, health])).to.deep.equal([
      ['dark', 'Unknown', 'Unknown'],
      ['new', 'Synced', 'Missing'],
    ])
  })

  it('A25 G13 is not one that has another name since then: that keeps its place', () => {
    const placement = { kind: 'all-sites' } as const
    const placed = {
      deployment: { name: 'shop', application: 'shop', placement, revision: 'r1', healthyMs: 0 },
      ...{ sites: ['near'], canaries: [], known: { near: 'unix:///run/near.sock' } },
    }
    const sites = [
      { name: 'store', endpoint: 'unix:///run/near.sock', labels: labelsOf([]) },
      { name: 'new', endpoint: 'unix:///run/new.sock', labels: labelsOf([]) },
    ]
    expect(joinedIn({ sites }, placed)).to.deep.equal(['new'])
  })
})
