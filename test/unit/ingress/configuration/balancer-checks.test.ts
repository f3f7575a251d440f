import { expect } from 'chai'
import { healthRoutes } from '../../../../lib/ingress/configuration/balancer-checks.ts'
import type { Route } from '../../../../lib/state/application/ingress/route.ts'

const route: Route = {
  ...{ application: 'shop', service: 'web', alias: 'web-1', port: 8000 },
  ...{ tls: 'off', holdMs: 0, path: '/' },
}

/** Whom load balancers hear about for each host; `*`: nobody needs to answer, as it only redirects. */
function answering(routes: readonly Route[]): Readonly<Record<string, string>> {
  const text = JSON.stringify(healthRoutes(routes, 'newer'))
  const [, mappings = '[]', others = ''] = /"mappings":(\[.*?\]),"defaults":\["(.*?)"/.exec(text) ?? []
  const all: readonly { readonly input?: string; readonly outputs: readonly string[] }[] =
    JSON.parse(mappings)
  return Object.fromEntries([
    ...all.map(({ input, outputs }) => [input, outputs[0]]),
    ['any other host', others],
  ])
}

describe('what the ingress tells load balancers of a host', () => {
  const shop = { ...route, host: 'shop.example.com' }
  const www = { ...route, host: 'www.shop.example.com', redirect: 'https://shop.example.com' }

  it('P12 is about the service behind it, and of one that only redirects that it does', () => {
    expect(answering([shop, www])).to.deep.equal({
      'shop.example.com': 'web-1',
      'www.shop.example.com': '*',
      'any other host': '',
    })
  })

  it('P12 is about its own redirect, also where a route without a host answers for all others', () => {
    expect(answering([www, { ...route, alias: 'other-1' }])).to.deep.equal({
      'www.shop.example.com': '*',
      'any other host': 'other-1',
    })
  })

  it('P12 is about a service where only a part of it redirects', () => {
    const part = { ...shop, path: '/old', redirect: 'https://example.com' }
    expect(answering([shop, part])['shop.example.com']).to.equal('web-1')
  })
})
