import { expect } from 'chai'
import { manifestOf } from '../../../support/memory/memory-daemon.ts'
import { Fleet } from './scene.ts'

describe('an application that requires one of which the registry lacks an image', () => {
  it('G11 D15 A20 gets its new version if no site is to have both, and otherwise stays as it is on all sites', async () => {
    const files = (version: string, placed: string) => ({
      ...manifestOf('prod', { shop: version, web: version }, { skipConfirmation: true }),
      'applications/web.yaml':
        'name: web\nrequires: {shop: "*"}\nservices: [{name: web, containers: [{name: web, image: web}]}]\n',
      'deployments/shop.yaml': 'name: shop\napplication: shop\nplacement: {match-site-labels: try}\n',
      'deployments/web.yaml': `name: web\napplication: web\nplacement: {match-site-labels: ${placed}}\n`,
    })
    await using fleet = await Fleet.start(files('1', 'not try'))
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('1 1 1 1 1')
    fleet.missing = 'shop:2'
    fleet.commit(files('2', 'not try'))
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('2 2 1 2 2')
    fleet.missing = 'shop:3'
    fleet.commit(files('3', 'system/name'))
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('2 2 1 2 2')
  })
})
