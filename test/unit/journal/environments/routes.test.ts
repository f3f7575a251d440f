import { expect } from 'chai'
import type { Route } from '../../../../lib/state/application/route.ts'
import { memoryJournal } from '../../../support/memory-journal.ts'

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
    const seen = () => [journal.routes('prod'), journal.hasRoutes('prod')]
    expect(seen()).to.deep.equal([[], false])
    journal.setRoutes('prod', [route])
    expect(seen()).to.deep.equal([[route], true])
    expect(journal.hasRoutes('devel')).to.equal(false)
    journal.setRoutes('prod', [])
    expect(seen()).to.deep.equal([[], false])
  })
})
