import { expect } from 'chai'
import { sharedSites, shareEnvironment } from '../../../../lib/config/site/shared-site.ts'

describe('the sites that two environments share', () => {
  it('P33 are found however a site lists them', () => {
    for (const written of ['prod', 'environments/prod', './environments/prod/', 'deploy/environments/prod'])
      expect(
        sharedSites([{ name: 'a', environments: ['stage', written] }], ['prod'], ['stage']),
        written,
      ).to.deep.equal(['a'])
  })

  it('P33 are none where each has its own', () => {
    const sites = [
      { name: 'a', environments: ['environments/prod'] },
      { name: 'b', environments: ['environments/stage'] },
    ]
    expect(sharedSites(sites, ['prod'], ['stage'])).to.deep.equal([])
    expect(sharedSites([...sites, { name: 'c' }], ['prod'], ['stage'])).to.deep.equal(['c'])
  })

  it('P33 are none where the site runs another directory of that name', () => {
    const sites = [{ name: 'a', environments: ['a/environments/prod', 'stage'] }]
    expect(sharedSites(sites, ['a/environments/prod', 'prod'], ['stage'])).to.deep.equal(['a'])
    expect(sharedSites(sites, ['b/environments/prod', 'prod'], ['stage'])).to.deep.equal([])
    expect(
      shareEnvironment({ name: 'a', environments: ['a/prod'] }, { name: 'b', environments: ['b/prod'] }),
    ).to.equal(false)
    expect(
      shareEnvironment({ name: 'a', environments: ['a/prod'] }, { name: 'b', environments: ['prod'] }),
    ).to.equal(true)
  })
})
