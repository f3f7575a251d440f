import { expect } from 'chai'
import { sharedSite, shareEnvironment } from '../../../../lib/config/site/shared-site.ts'

describe('a site that two environments share', () => {
  it('P33 is found however the site lists them', () => {
    for (const written of ['prod', 'environments/prod', './environments/prod/', 'deploy/environments/prod'])
      expect(
        sharedSite([{ name: 'a', environments: ['stage', written] }], ['prod'], ['stage']),
        written,
      ).to.equal('a')
  })

  it('P33 is none where each has its own', () => {
    const sites = [
      { name: 'a', environments: ['environments/prod'] },
      { name: 'b', environments: ['environments/stage'] },
    ]
    expect(sharedSite(sites, ['prod'], ['stage'])).to.equal(undefined)
    expect(sharedSite([...sites, { name: 'c' }], ['prod'], ['stage'])).to.equal('c')
  })

  it('P33 is none where the site runs another directory of that name', () => {
    const sites = [{ name: 'a', environments: ['a/environments/prod', 'stage'] }]
    expect(sharedSite(sites, ['a/environments/prod', 'prod'], ['stage'])).to.equal('a')
    expect(sharedSite(sites, ['b/environments/prod', 'prod'], ['stage'])).to.equal(undefined)
    expect(
      shareEnvironment({ name: 'a', environments: ['a/prod'] }, { name: 'b', environments: ['b/prod'] }),
    ).to.equal(false)
    expect(
      shareEnvironment({ name: 'a', environments: ['a/prod'] }, { name: 'b', environments: ['prod'] }),
    ).to.equal(true)
  })
})
