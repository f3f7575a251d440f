import { expect } from 'chai'
import { loadConfig } from '../../../../../lib/config.ts'
import { sitesKnownTo } from '../../../../../lib/reconcile/repository/commit/sites-known.ts'
import type { Deployment } from '../../../../../lib/state/fleet/deployment.ts'
import { configWith } from '../../../../support/builders/sites.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

/** A deployment on the sites with a label. */
function on(label: string, name: string, application: string): Deployment {
  const expression = { kind: 'present', label } as const
  const placement = { kind: 'match-site-labels', expression, text: label } as const
  return { name, application, placement, healthyMs: 0, revision: `${name} ${label}` }
}

describe('the sites that are known to an environment', () => {
  it('A25 G4 are kept for a deployment with another name, and not for one whose former name belongs to another application now', () => {
    const journal = memoryJournal()
    const config = configWith(loadConfig({ repository: '.' }, {}), {
      sites: [{ name: 'north', endpoint: 'unix:///north' }],
    })
    const world = { engines: [memoryEngine({ site: 'north' })], config, journal }
    journal.setPlacement('prod', { deployment: on('store', 'shop', 'shop'), sites: ['north'], canaries: [] })
    const unmet = on('stroe', 'shops', 'shop')
    const kept = (...others: readonly Deployment[]) =>
      sitesKnownTo(world, 'prod').kept?.([unmet, ...others])(unmet)
    expect(kept()).to.deep.equal(['north'])
    expect(kept(on('store', 'shop', 'blog'))).to.deep.equal([])
  })
})
