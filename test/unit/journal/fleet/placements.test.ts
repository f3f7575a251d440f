import { expect } from 'chai'
import { journalIn } from '../../../../lib/journal/journal.ts'
import type { Deployment } from '../../../../lib/state/fleet/deployment.ts'
import { memoryDatabase } from '../../../support/memory/memory-journal.ts'

const shop: Deployment = {
  ...{ name: 'shop', application: 'shop', placement: { kind: 'all-sites' }, healthyMs: 0, revision: 'r1' },
}
const placed = { deployment: shop, sites: ['east', 'west'], canaries: [], known: { east: '', west: '' } }

describe('the sites of deployments on record', () => {
  it('A25 are the same value until somebody replaces them, even another process', () => {
    const database = memoryDatabase()
    const [journal, another] = [journalIn(database), journalIn(database)]
    journal.setPlacement('prod', placed)
    journal.setPlacement('prod', { ...placed, deployment: { ...shop, name: 'blog' } })
    const [before, blog] = ['shop', 'blog'].map(name => journal.placements('prod').get(name))
    expect(before).to.deep.equal(placed)
    expect(journal.placements('prod').get('shop')).to.equal(before)
    another.setPlacement('prod', { ...placed, sites: ['east'] })
    expect(journal.placements('prod').get('shop')).to.deep.equal({ ...placed, sites: ['east'] })
    expect(journal.placements('prod').get('blog')).to.equal(blog)
    another.evaluateAnew('prod', 'shop')
    expect(journal.placements('prod').get('shop')?.deployment.revision).to.equal('')
    another.forgetPlacement('prod', 'shop')
    expect([...journal.placements('prod').keys()]).to.deep.equal(['blog'])
  })
})
