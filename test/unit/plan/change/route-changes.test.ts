import { expect } from 'chai'
import { routeChanges, routeText } from '../../../../lib/plan/change/route-changes.ts'
import type { Route } from '../../../../lib/state/application/ingress/route.ts'

function route(parts: Partial<Route> = {}): Route {
  return {
    application: 'shop',
    service: 'web',
    host: 'shop.example',
    path: '/',
    alias: 'web-01234567',
    port: 8_000,
    tls: 'auto',
    holdMs: 5_000,
    ...parts,
  }
}

describe('a route in words', () => {
  const words: readonly (readonly [string, Partial<Route>, string])[] = [
    ['where it leads', {}, 'shop/web:8000, tls auto, hold 5 s'],
    ['plain HTTP alone', { tls: 'off' }, 'shop/web:8000, hold 5 s'],
    ['plain HTTP beside HTTPS', { alsoPlain: true }, 'shop/web:8000, tls auto, and HTTP, hold 5 s'],
    ["the ingress's own authority", { tls: 'internal' }, 'shop/web:8000, tls internal, hold 5 s'],
    [
      'where it sends requests on to',
      { redirect: 'https://new.example' },
      'sent on to https://new.example, tls auto, hold 5 s',
    ],
    ['the path left out', { strip: true }, 'shop/web:8000, tls auto, strip, hold 5 s'],
    [
      'headers',
      { headers: { request: { 'X-A': null, 'X-B': 'b' }, response: { 'X-C': 'c' } } },
      'shop/web:8000, tls auto, no request header X-A, request header X-B "b", answer header X-C "c", hold 5 s',
    ],
    ['the longest body', { maxBodyBytes: 10 }, 'shop/web:8000, tls auto, bodies up to 10 bytes, hold 5 s'],
    ['how long an answer may take', { timeoutMs: 1_500 }, 'shop/web:8000, tls auto, timeout 1.5 s, hold 5 s'],
    [
      'its static files',
      {
        statics: {
          alias: 'files-01234567',
          port: 8_080,
          mount: { kind: 'volume', volume: 'static', path: '/srv', exclusive: false },
          volumes: [],
        },
      },
      'shop/web:8000, tls auto, static files, hold 5 s',
    ],
    ['how long a request is held', { holdMs: 0 }, 'shop/web:8000, tls auto, hold 0 s'],
  ]
  for (const [what, parts, text] of words)
    it(`G7 tells ${what}`, () => {
      expect(routeText(route(parts))).to.equal(text)
    })
})

describe('what the ingress is to do otherwise', () => {
  it('G7 is told route by route, by host and path, in their order', () => {
    const before = [
      route({ host: 'old.example' }),
      route({ host: 'same.example' }),
      route({ host: 'a.example' }),
    ]
    const after = [
      route({ host: 'same.example' }),
      route({ host: 'a.example', port: 81 }),
      route({ host: 'a.example', path: '/new' }),
    ]
    expect(routeChanges(before, after)).to.deep.equal([
      {
        path: 'routes/a.example/',
        from: 'shop/web:8000, tls auto, hold 5 s',
        to: 'shop/web:81, tls auto, hold 5 s',
      },
      { path: 'routes/a.example/new', to: 'shop/web:8000, tls auto, hold 5 s' },
      { path: 'routes/old.example/', from: 'shop/web:8000, tls auto, hold 5 s' },
    ])
  })

  it('G7 is told with the headers, old and new', () => {
    const [before, after] = [{ 'X-A': '1' }, { 'X-A': '2' }].map(request => [route({ headers: { request } })])
    expect(routeChanges(before ?? [], after ?? [])).to.deep.equal([
      {
        path: 'routes/shop.example/',
        from: 'shop/web:8000, tls auto, request header X-A "1", hold 5 s',
        to: 'shop/web:8000, tls auto, request header X-A "2", hold 5 s',
      },
    ])
  })
})
