import { expect } from 'chai'
import { sharedSite } from '../../../lib/config/shared-site.ts'

describe('a site that two environments share', () => {
  it('P33 is found however the site lists them', () => {
    for (const written of ['prod', 'environments/prod', './environments/prod/', 'deploy/environments/prod'])
      expect(
        sharedSite([{ name: 'a', environments: ['stage', written] }], 'prod', 'stage'),
        written,
      ).to.equal('a')
  })

  it('P33 is none where each has its own', () => {
    const sites = [
      { name: 'a', environments: ['environments/prod'] },
      { name: 'b', environments: ['environments/stage'] },
    ]
    expect(sharedSite(sites, 'prod', 'stage')).to.equal(undefined)
    expect(sharedSite([...sites, { name: 'c' }], 'prod', 'stage')).to.equal('c')
  })
})
