import { expect } from 'chai'
import { loadConfig } from '../../../../lib/config.ts'
import { sitesNow } from '../../../../lib/reconcile/site/site.ts'
import { configWith } from '../../../support/builders/sites.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

describe('the sites of an environment', () => {
  const usual = loadConfig({ repository: '/srv/manifests' }, {})
  const config = configWith(usual, { sites: ['east', 'west', 'north'].map(name => ({ name })) })
  const engines = ['west', 'east'].map(site => memoryEngine({ site }))
  const namesOf = (world: Parameters<typeof sitesNow>[0]) => sitesNow(world).map(({ name }) => name)

  it('G17 are those of the configuration that it has engines of, in their order, and found once', () => {
    expect(namesOf({ config, engines })).to.deep.equal(['east', 'west'])
    expect(sitesNow({ config, engines })).to.equal(sitesNow({ config: { ...config }, engines }))
  })

  it('G17 are found anew when one comes or goes', () => {
    const [west] = engines
    if (west === undefined) throw new Error('there is no engine')
    expect(namesOf({ config, engines: [west] })).to.deep.equal(['west'])
    const fewer = configWith(usual, { sites: [{ name: 'east' }] })
    expect(namesOf({ config: fewer, engines })).to.deep.equal(['east'])
  })
})
