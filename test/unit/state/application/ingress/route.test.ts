import { expect } from 'chai'
import {
  claimedBy,
  gateOf,
  isGate,
  isGateAlias,
  type Route,
  type Statics,
} from '../../../../../lib/state/application/ingress/route.ts'

const statics: Statics = {
  alias: 'files-01234567',
  port: 8080,
  mount: { kind: 'volume', volume: 'static', path: '/srv', exclusive: false },
  volumes: [],
}

function route(parts: Partial<Route> = {}): Route {
  return {
    application: 'shop',
    service: 'web',
    path: '/',
    alias: 'web-01234567',
    port: 8_000,
    tls: 'auto',
    holdMs: 5_000,
    ...parts,
  }
}

describe('what a route claims for itself', () => {
  it('P33 is its host and path, or every host that no other route names', () => {
    expect(claimedBy(route({ host: 'shop.example', path: '/api' }))).to.deep.equal([
      { of: 'requests', text: 'shop.example/api' },
    ])
    expect(claimedBy(route({ path: '/api' }))).to.deep.equal([{ of: 'requests', text: '*/api' }])
  })

  it('P31 is the path of its static files, too, and everything below it', () => {
    expect(claimedBy(route({ host: 'shop.example', statics }))).to.deep.equal([
      { of: 'requests', text: 'shop.example/' },
      { of: 'requests', text: 'shop.example/static', isSubtree: true },
    ])
    expect(claimedBy(route({ path: '/shop', statics }))).to.deep.equal([
      { of: 'requests', text: '*/shop' },
      { of: 'requests', text: '*/shop/static', isSubtree: true },
    ])
  })

  it('P31 is no path of static files where requests are sent on to another address', () => {
    const redirect = 'https://new.example'
    expect(claimedBy(route({ host: 'old.example', redirect, statics }))).to.deep.equal([
      { of: 'requests', text: 'old.example/' },
    ])
  })
})

describe('the gate of a service', () => {
  it('P12 is a network of its application, and an alias of its own there', () => {
    const { network, alias } = gateOf('prod', 'shop', 'web', '10.201.0.0/16')
    expect(network).to.deep.equal({
      name: 'prod.shop.ingress',
      application: 'shop',
      mode: 'gate',
      pool: '10.201.0.0/16',
    })
    expect([alias, isGate(network.name), isGate('prod.shop')]).to.deep.equal(['web-772370c4', true, false])
  })

  it('P12 has an alias that no other service has, however alike their names are', () => {
    const long = 'a'.repeat(60)
    const names = [
      ['shop', 'my web'],
      ['shop', 'my-web'],
      ['shop', `${long}1`],
      ['shop', `${long}2`],
      ['cart', 'my web'],
    ] as const
    const aliases = names.map(([application, service]) => gateOf('prod', application, service, '').alias)
    expect(new Set(aliases).size).to.equal(5)
    for (const alias of aliases) expect(alias).to.match(/^[a-z-]{1,40}-[0-9a-f]{8}$/)
  })

  it('P12 G24 is not open to a name that could be one behind it, in any case', () => {
    expect(
      ['web-772370c4', 'WEB-772370C4', 'web-772370c', 'web772370c4', 'web'].map(isGateAlias),
    ).to.deep.equal([true, true, false, false, false])
  })
})
