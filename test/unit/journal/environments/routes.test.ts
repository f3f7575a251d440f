import { expect } from 'chai'
import { ingressName, type Route } from '../../../../lib/state/application/ingress/route.ts'
import { earlierJournal, memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('the routes that an ingress loaded', () => {
  const route: Route = {
    application: 'shop',
    service: 'web',
    host: 'shop.example',
    path: '/',
    alias: 'shop-web',
    port: 8000,
    tls: 'off',
    holdMs: 5_000,
  }

  it('D15 are there until others are loaded, or none', () => {
    const journal = memoryJournal()
    const seen = () => [journal.routes('prod', 'store-1'), journal.routedSites('prod', ['store-1'])]
    expect(seen()).to.deep.equal([[], []])
    journal.setRoutes('prod', 'store-1', [route])
    expect(seen()).to.deep.equal([[route], ['store-1']])
    expect(journal.routedSites('devel', ['store-1'])).to.deep.equal([])
    journal.setRoutes('prod', 'store-1', [])
    expect(seen()).to.deep.equal([[], []])
  })

  it('D15 G17 are those of one site: what another one loads, or a site that is gone, changes none of them', () => {
    const journal = memoryJournal()
    const moved = { ...route, port: 9000 }
    journal.setRoutes('prod', 'store-1', [moved])
    journal.setRoutes('prod', 'store-2', [route])
    journal.setRoutes('prod', 'store-3', [route])
    expect(['store-1', 'store-2', 'store-4'].map(site => journal.routes('prod', site))).to.deep.equal([
      [moved],
      [route],
      [],
    ])
    expect(journal.routesAnywhere('prod', ['store-1', 'store-2', 'store-3'])).to.deep.equal([
      { sites: ['store-1'], routes: [moved] },
      { sites: ['store-2', 'store-3'], routes: [route] },
    ])
    expect(journal.routedSites('prod', ['store-4', 'store-3'])).to.deep.equal(['store-3'])
  })

  it('D15 G25 of an earlier version are those of each site on which it had an ingress', () => {
    const journal = earlierJournal(perEnvironment, old => {
      old.prepare('INSERT INTO route VALUES (?, ?)').run('prod', JSON.stringify([route]))
      for (const [site, service] of [
        ['store-1', ingressName],
        ['store-2', ingressName],
        ['store-3', 'web'],
      ] as const)
        old
          .prepare('INSERT INTO applied VALUES (?, ?, ?, ?, ?, ?, 1)')
          .run('prod', site, service, service, 'v1:aa', 'c1')
    })
    const known = ['store-1', 'store-2', 'store-3'].map(site => journal.routes('prod', site))
    expect(known).to.deep.equal([[route], [route], []])
  })
})

/** How many migrations there were when routes were recorded for all sites of an environment together. */
const perEnvironment = 8
