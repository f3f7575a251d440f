import { expect } from 'chai'
import { gateOf } from '../../../../lib/state/application/ingress/route.ts'
import { backendOf, routesOf } from '../../../../lib/state/application/ingress/traffic.ts'
import { built } from '../built.ts'

const pool = '10.201.0.0/16'

/** A service with these routes, each in YAML's flow style; `more` are further keys of the service. */
function routed(routes: readonly string[], more = '') {
  const text = `name: shop
services:
  - name: web
    ingress: [${routes.join(', ')}]
    containers: [{name: web, image: "web:1"}]
${more}`
  return built(text, { ingress: { pool, holdMs: 5_000 } })
}

function builtRoutes(...routes: readonly string[]) {
  const { application, problems } = routed(routes)
  expect(problems).to.deep.equal([])
  return application.services.flatMap(routesOf)
}

function problemsOf(...routes: readonly string[]): readonly string[] {
  return routed(routes).problems.map(problem =>
    problem.replace(/^\S+ \/services\/0\//, '').replace(' (application-invalid)', ''),
  )
}

describe('routes of a service', () => {
  const { network, alias } = gateOf('prod', 'shop', 'web', pool)
  const common = { application: 'shop', service: 'web', alias, holdMs: 5_000 }

  it('are plain HTTP on every host and path unless they say otherwise', () => {
    expect(builtRoutes('{port: 80}')).to.deep.equal([{ ...common, path: '/', port: 80, tls: 'off' }])
  })

  it('say host, path, TLS, limits and headers', () => {
    const route = `{host: Shop.Example.com, path: /api/, port: 80, tls: auto, strip: true, maxBody: 1m, timeout: 30s, hold: 1m,
      headers: {request: {X-Team: shop}, response: {Server: null}}}`
    expect(builtRoutes(route)).to.deep.equal([
      {
        ...common,
        host: 'shop.example.com',
        path: '/api',
        port: 80,
        tls: 'auto',
        strip: true,
        headers: { request: { 'X-Team': 'shop' }, response: { Server: null } },
        maxBodyBytes: 1_048_576,
        timeoutMs: 30_000,
        holdMs: 60_000,
      },
    ])
  })

  it('P33 have one form, however they are written: as Caddy compares them', () => {
    const forms = [
      ['Shop.Example', '/Admin/'],
      ['shop.example.', '/%61dm%49n/x'],
      ['xn--bcher-kva.example', '/a%2Db'],
      ['BÜCHER.example', '/a%2Fb'],
      ['*.Bücher。example.', '/%7euser'],
      ['ｓｈｏｐ.example', "/!$&'()+,;=:@"],
    ]
    const routes = forms.map(([host, path]) => `{host: "${host}", path: "${path}", port: 80}`)
    expect(builtRoutes(...routes).map(({ host, path }) => [host, path])).to.deep.equal([
      ['shop.example', '/admin'],
      ['shop.example', '/admin/x'],
      ['xn--bcher-kva.example', '/a-b'],
      ['xn--bcher-kva.example', '/a/b'],
      ['*.xn--bcher-kva.example', '/~user'],
      ['shop.example', "/!$&'()+,;=:@"],
    ])
  })

  it('send on to another address, or answer HTTP beside HTTPS', () => {
    const [away, both] = builtRoutes(
      '{host: www.example.com, redirect: "https://example.com"}',
      '{host: example.com, port: 80, tls: internal, redirect: false}',
    )
    expect(away).to.include({ host: 'www.example.com', redirect: 'https://example.com' })
    expect(both).to.include({ tls: 'internal', alsoPlain: true })
  })

  it('P12 have the service wait behind a gate of its application, whose addresses are our own', () => {
    const [service] = routed(['{port: 80}']).application.services
    expect(service && backendOf(service)?.gate).to.deep.equal({ network, alias })
    expect(network).to.deep.equal({ name: 'prod.shop.ingress', application: 'shop', mode: 'gate', pool })
    expect(alias).to.match(/^web-[0-9a-f]{8}$/)
  })

  it('G2 are no part of an instance: a change of routes replaces nothing', () => {
    const instancesOf = (port: number) => routed([`{port: ${port}}`]).application.services[0]?.instances
    expect(instancesOf(80)).to.deep.equal(instancesOf(81))
  })

  it('have no effect where there is no ingress, which is told', () => {
    const text =
      'name: shop\nservices:\n  - {name: web, ingress: [{port: 80}], containers: [{name: web, image: "web:1"}]}\n'
    const { application, warnings } = built(text)
    expect(application.services.map(({ traffic }) => traffic)).to.deep.equal([undefined])
    expect(warnings).to.deep.equal([
      'applications/shop.yaml:3:26: /services/0/ingress has no effect: tallyman.yaml says "ingress: off" (no-effect)',
    ])
  })

  const refused: readonly (readonly [string, readonly string[], string])[] = [
    ['no port', ['{host: a.example}'], 'ingress/0 needs a port: the one the service listens on'],
    [
      'a port in the host',
      ['{host: "a.example:80", port: 80}'],
      'ingress/0/host "a.example:80" has a port; the ports of the ingress stand in tallyman.yaml',
    ],
    [
      'an address as host',
      ['{host: "[::1]", port: 80}'],
      'ingress/0/host "[::1]" is an address; a route needs the name of a host',
    ],
    ['a host that is none', ['{host: "a b", port: 80}'], 'ingress/0/host "a b" is no domain'],
    [
      'a star inside a host',
      ['{host: "a.*.example", port: 80}'],
      'ingress/0/host "a.*.example" is no domain',
    ],
    ['a path without a slash', ['{path: api, port: 80}'], 'ingress/0/path "api" does not begin with a slash'],
    ['a path that climbs', ['{path: /a/../b, port: 80}'], 'ingress/0/path "/a/../b" has a "." or ".." in it'],
    [
      'a path with a star',
      ['{path: "/a*", port: 80}'],
      `ingress/0/path "/a*" is no path; letters, digits and -._~!$&'()+,;=:@%/ stand in one`,
    ],
    ['TLS without a host', ['{port: 80, tls: auto}'], 'ingress/0/tls needs a host: a certificate names one'],
    [
      'a redirect that is no address',
      ['{host: a.example, redirect: b.example}'],
      'ingress/0/redirect "b.example" is no address; write for example https://www.example.com',
    ],
    [
      'a redirect with a query',
      ['{host: a.example, redirect: "https://b.example/?x=1"}'],
      'ingress/0/redirect has more than a host and a path; path and query of the request are put behind it',
    ],
    [
      'a redirect to HTTPS without TLS',
      ['{port: 80, redirect: true}'],
      'ingress/0/redirect is about HTTPS, and tls is off',
    ],
    [
      'P35 a forwarded header of its own',
      ['{port: 80, headers: {request: {X-Forwarded-For: me}}}'],
      'ingress/0/headers/request/X-Forwarded-For is set by the ingress, and by nobody else',
    ],
    [
      'a brace in a header, which the proxy would read',
      ['{port: 80, headers: {response: {X-A: "{env.HOME}"}}}'],
      'ingress/0/headers/response/X-A has a line break or a brace in it, which headers must not have here',
    ],
    [
      'an encoded character that Caddy would take for a pattern',
      ['{path: "/a%2A", port: 80}'],
      `ingress/0/path "/a%2A" has an encoded character in it that no route has; letters, digits and -._~!$&'()+,;=:@/ may be encoded`,
    ],
    [
      'what Caddy would put something else in place of',
      ['{path: "/%7Benv.HOME%7D", port: 80}'],
      `ingress/0/path "/%7Benv.HOME%7D" has an encoded character in it that no route has; letters, digits and -._~!$&'()+,;=:@/ may be encoded`,
    ],
    [
      'what is encoded twice',
      ['{path: "/a%252fb", port: 80}'],
      `ingress/0/path "/a%252fb" has an encoded character in it that no route has; letters, digits and -._~!$&'()+,;=:@/ may be encoded`,
    ],
    [
      'a path that climbs in code',
      ['{path: "/a/%2e%2E/b", port: 80}'],
      'ingress/0/path "/a/%2e%2E/b" has a "." or ".." in it',
    ],
    [
      'two slashes, one of them in code',
      ['{path: "/a/%2Fb", port: 80}'],
      'ingress/0/path "/a/%2Fb" has two slashes in a row',
    ],
    [
      'a host with something behind it',
      ['{host: "a.example/b", port: 80}'],
      'ingress/0/host "a.example/b" is no domain',
    ],
    [
      'the same twice in two spellings',
      ['{path: /Admin, port: 80}', '{path: "/%61dmin/", port: 81}'],
      'ingress has */admin twice',
    ],
    [
      'the same twice',
      ['{host: a.example, port: 80}', '{host: A.example, path: /, port: 81}'],
      'ingress has a.example/ twice',
    ],
  ]
  for (const [name, routes, problem] of refused)
    it(`refuse ${name}`, () => {
      expect(problemsOf(...routes)).to.deep.equal([problem])
    })

  it("refuse to stand beside the host's network", () => {
    const { problems } = routed(['{port: 80}'], '    network: {host: true}\n')
    expect(
      problems.some(problem => problem.includes("stands beside routes; on the host's network")),
    ).to.equal(true)
  })

  it('P27 P33 are one for each domain of a Pallet service, to port 8000, plain inside whatever is outside', () => {
    const text = `name: shop
services:
  - name: web
    pallet: {domain: "shop.example|www.shop.example:8443", protocol: https}
    containers: [{name: app, image: "shop:1"}]
`
    const { application, problems } = built(text, { ingress: { pool, holdMs: 0 } })
    expect(problems).to.deep.equal([])
    const routes = application.services.flatMap(routesOf)
    expect(routes.map(({ host, path, port, tls }) => [host, path, port, tls])).to.deep.equal([
      ['shop.example', '/', 8000, 'auto'],
      ['www.shop.example', '/', 8000, 'auto'],
    ])
  })

  it('P31 of a Pallet service say what their static files are served from', () => {
    const text = `name: shop
services:
  - {name: web, pallet: {domain: shop.example}, containers: [{name: app, image: "shop:1"}]}
`
    const { application } = built(text, { ingress: { pool, holdMs: 0 } })
    expect(application.services.flatMap(routesOf)[0]?.statics).to.deep.include({
      mount: { kind: 'volume', volume: 'prod.shop.static', path: '/static', exclusive: false },
      volumes: [{ name: 'prod.shop.static', application: 'shop' }],
    })
  })

  it('P31 of a Pallet application do not lie below its static files, whichever of its services has them', () => {
    const problems = (routes: string, more = '') =>
      built(
        `name: shop
services:
  - {name: web, pallet: {domain: shop.example}, ingress: [${routes}], containers: [{name: app, image: "shop:1"}]}
${more}`,
        { ingress: { pool, holdMs: 0 } },
      ).problems
    const below = '{host: shop.example, path: /static/old, port: 80}'
    expect(problems(below)).to.deep.equal([
      'applications/shop.yaml:3:58: /services/0/ingress has shop.example/static/old, and everything below shop.example/static is for static files (application-invalid)',
    ])
    const api = `  - {name: api, ingress: [${below}], containers: [{name: api, image: "api:1"}]}`
    expect(problems('', api)).to.deep.equal([
      'applications/shop.yaml:4:27: /services/1/ingress/0 claims shop.example/static/old, which the service web claims as shop.example/static, too (application-invalid)',
    ])
  })

  it('of two services that claim the same are a fault that names both', () => {
    const text = `name: shop
services:
  - {name: web, ingress: [{host: a.example, port: 80}], containers: [{name: web, image: "web:1"}]}
  - {name: api, ingress: [{host: a.example, port: 80}], containers: [{name: api, image: "api:1"}]}
`
    expect(built(text, { ingress: { pool, holdMs: 0 } }).problems).to.deep.equal([
      'applications/shop.yaml:4:27: /services/1/ingress/0 claims a.example/, which the service web claims, too (application-invalid)',
    ])
  })
})
