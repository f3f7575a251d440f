import { expect } from 'chai'
import { certificatesFor } from '../../../../lib/ingress/configuration/certificates.ts'
import { configurationFor, configurationText } from '../../../../lib/ingress/configuration/configuration.ts'
import type { Dialect } from '../../../../lib/ingress/configuration/dialect.ts'
import type { IngressSettings } from '../../../../lib/state/application/ingress/ingress-settings.ts'
import type { Route } from '../../../../lib/state/application/ingress/route.ts'
import { hashOf } from '../../../../lib/state/canonical.ts'
import { Secret } from '../../../../lib/state/secret/secret.ts'
import { route, settings, statics } from '../parts.ts'

/** What Caddy reads, as far as tests go into it. */
type Caddy = {
  readonly apps: {
    readonly http: {
      readonly metrics?: { readonly per_host: boolean }
      readonly servers: Readonly<Record<string, Server>>
    }
    readonly tls?: { readonly certificates: unknown; readonly automation: unknown }
  }
  readonly logging: { readonly logs: Readonly<Record<string, unknown>> }
}
type Server = {
  readonly routes: readonly Step[]
  readonly protocols?: readonly string[]
  readonly logs?: object
  readonly metrics?: object
  readonly strict_sni_host?: boolean
  readonly errors: { readonly routes: readonly Step[] }
}
type Step = { readonly match?: readonly Match[]; readonly handle: readonly Handler[] }
type Match = { readonly host?: readonly string[]; readonly path?: readonly string[] }
type Handler = {
  readonly handler: string
  readonly routes?: readonly Step[]
  readonly errors?: { readonly routes: readonly Step[] }
  readonly headers?: Readonly<Record<string, readonly string[]>>
  readonly [field: string]: unknown
}

function caddy(
  routes: readonly Route[],
  parts: Partial<IngressSettings> = {},
  dialect: Dialect = 'newer',
): Caddy {
  return JSON.parse(JSON.stringify(configurationFor(routes, settings(parts), dialect)))
}

/** Of the hosts that are named, then of all others; what all requests go through first is left out. */
function routesOf(server: string, routes: readonly Route[], parts: Partial<IngressSettings> = {}) {
  const own = caddy(routes, parts).apps.http.servers[server]?.routes ?? []
  return own.flatMap(({ handle }) => handle[0]?.routes?.slice(1) ?? [])
}

/** What becomes of requests, a line for each place that one can get to, in the order they are looked at. */
function lines(steps: readonly Step[], above = ''): readonly string[] {
  return steps.flatMap(({ match = [{}], handle }) => {
    if (handle.some(({ handler }) => handler === 'reverse_proxy')) return []
    const [first] = match
    const here = `${above} ${[...(first?.host ?? []), ...(first?.path ?? [])].join(' ')}`.trim()
    const [only] = handle
    if (handle.length === 1 && only?.routes !== undefined) return lines(only.routes, here)
    return [`${here}: ${handle.map(shortly).join(', ')}`]
  })
}

function shortly({ handler, ...more }: Handler): string {
  switch (handler) {
    case 'static_response':
      return `${more['status_code']} ${more.headers?.['Location'] ?? ''}`.trim()
    case 'rewrite':
      return `strip ${more['strip_path_prefix']}`
    case 'vars':
      return `to ${more['alias']}`
    default:
      return handler
  }
}

/** Every address has a colon. */
const untaken = {
  not: [{ vars_regexp: { '{http.reverse_proxy.upstream.address}': { pattern: ':' } } }],
}

describe('the configuration of the ingress', () => {
  it('P33 looks at exact hosts first, then at those with a star, then at no host, and ends with 404', () => {
    const routes = [
      route({ host: '*.example.com', alias: 'wild' }),
      route({ host: '*.deep.example.com', alias: 'deep' }),
      route({ alias: 'exact' }),
      route({ host: 'a.example.com', alias: 'first' }),
    ]
    const { host: _, ...anybody } = route({ alias: 'rest' })
    expect(lines(routesOf('http', [anybody, ...routes]))).to.deep.equal([
      'a.example.com: to first',
      'shop.example.com: to exact',
      ': 404',
      '*.deep.example.com: to deep',
      '*.example.com: to wild',
      ': to rest',
      ': 404',
    ])
  })

  it('P33 looks at longer paths before shorter ones; a path is itself and all below it', () => {
    const routes = [
      route(),
      route({ path: '/api', alias: 'api', strip: true }),
      route({ path: '/api/v2', alias: 'v2' }),
    ]
    expect(lines(routesOf('http', routes))).to.deep.equal([
      'shop.example.com /api/v2 /api/v2/*: to v2',
      'shop.example.com /api /api/*: strip /api, to api',
      'shop.example.com: to web',
      ': 404',
      ': 404',
    ])
  })

  it('P35 takes from every request, before anything else, the headers that pass for those of the ingress', () => {
    const { servers } = caddy([route({ tls: 'auto', alsoPlain: true }), route({ host: 'b.example' })]).apps
      .http
    const first = { handle: [{ handler: 'headers', request: { delete: ['*_*'] } }] }
    const firsts = (server: string) =>
      servers[server]?.routes.map(({ handle }) => handle.map(({ routes }) => routes?.[0]))
    expect([firsts('http'), firsts('https')]).to.deep.equal([
      [[first], [first]],
      [[first], [first]],
    ])
  })

  it('P31 gives what is below /static/ to the static files before the application', () => {
    const files = statics('shop')
    expect(lines(routesOf('http', [route({ statics: files })]))).to.deep.equal([
      `shop.example.com /static/*: to ${files.alias}`,
      'shop.example.com: to web',
      ': 404',
      ': 404',
    ])
    const below = [route({ path: '/shop', statics: files })]
    expect(lines(routesOf('http', below))[0]).to.equal(
      `shop.example.com /shop/static/*: strip /shop, to ${files.alias}`,
    )
  })

  it('P33 answers over HTTPS, and sends there over HTTP, under the port of the host', () => {
    const routes = [
      route({ tls: 'auto' }),
      route({ host: 'in.example.com', tls: 'internal' }),
      route({ host: 'both.example.com', tls: 'internal', alsoPlain: true }),
      route({ host: 'plain.example.com' }),
    ]
    expect(lines(routesOf('http', routes))).to.deep.equal([
      'in.example.com shop.example.com: 308 https://{http.request.host}{http.request.uri}',
      'both.example.com: to web',
      'plain.example.com: to web',
      ': 404',
      ': 404',
    ])
    expect(lines(routesOf('https', routes))).to.deep.equal([
      'both.example.com: to web',
      'in.example.com: to web',
      'shop.example.com: to web',
      ': 404',
      ': 404',
    ])
    const elsewhere = routesOf('http', routes, { https: { port: 8443, addresses: [] } })
    expect(lines(elsewhere)[0]).to.include('308 https://{http.request.host}:8443{http.request.uri}')
  })

  it('P33 speaks HTTP/3 where browsers find it under the port that they are told', () => {
    const protocols = (port: number) =>
      caddy([route({ tls: 'auto' })], { https: { port, addresses: [] } }).apps.http.servers['https']
        ?.protocols
    expect(protocols(443)).to.deep.equal(['h1', 'h2', 'h3'])
    expect(protocols(8443)).to.deep.equal(['h1', 'h2'])
  })

  it('P33 gets certificates for hosts that none of the operator covers, each as its route says', () => {
    const chain = 'CERTIFICATE'
    const key = new Secret('KEY', 'mark')
    const { apps } = caddy(
      [
        route({ tls: 'auto' }),
        route({ host: 'own.example.com', tls: 'auto' }),
        route({ host: 'a.wild.example.com', tls: 'auto' }),
        route({ host: 'b.a.wild.example.com', tls: 'auto' }),
        route({ host: 'in.example.com', tls: 'internal' }),
        route({ host: 'plain.example.com' }),
      ],
      {
        acme: { email: 'ops@example.com', directory: 'https://acme.example.com/directory' },
        certificates: [{ chain, key, names: ['own.example.com', '*.wild.example.com'] }],
      },
    )
    expect(apps.tls).to.deep.equal({
      certificates: {
        automate: ['b.a.wild.example.com', 'in.example.com', 'shop.example.com'],
        load_pem: [{ certificate: 'CERTIFICATE', key: { mark: 'mark' } }],
      },
      automation: {
        policies: [
          {
            subjects: ['b.a.wild.example.com', 'shop.example.com'],
            issuers: [{ module: 'acme', ca: 'https://acme.example.com/directory', email: 'ops@example.com' }],
          },
          { subjects: ['in.example.com'], issuers: [{ module: 'internal' }] },
        ],
      },
    })
  })

  const kinds = (...routes: readonly Route[]) =>
    certificatesFor(routes, settings()).automation.policies.map(({ subjects, issuers }) => [
      issuers.map(({ module }) => module).join(),
      ...subjects,
    ])

  it('P33 a host has the certificate of who has the larger part of it, where loaded routes contradict each other', () => {
    const whole = { host: 'a.example.com', tls: 'auto' } as const
    const part = { host: 'a.example.com', path: '/part', tls: 'internal' } as const
    expect(kinds(route(part), route(whole))).to.deep.equal([['acme', 'a.example.com']])
    expect(kinds(route({ ...whole, tls: 'internal' }), route({ ...part, tls: 'auto' }))).to.deep.equal([
      ['internal', 'a.example.com'],
    ])
  })

  it('P33 a host has the certificate that its own route asks for, and not that of a `*.` route above it', () => {
    const one = route({ host: 'a.example.com', tls: 'internal' })
    const all = route({ host: '*.example.com', tls: 'auto' })
    expect(kinds(all, one)).to.deep.equal([
      ['internal', 'a.example.com'],
      ['acme', '*.example.com'],
    ])
  })

  it('P12 has a request tried again that no instance was chosen for yet, and a GET without a time limit', () => {
    const triedAgain = (parts: Partial<Route>) =>
      routesOf('http', [route(parts)])
        .flatMap(({ handle }) => handle)
        .flatMap(({ load_balancing }) => (load_balancing ? [Object(load_balancing).retry_match] : []))
    expect(triedAgain({})).to.deep.equal(Array(2).fill([untaken, { method: ['GET'] }]))
    expect(triedAgain({ timeoutMs: 2_000 })).to.deep.equal(Array(2).fill([untaken]))
  })

  it('P12 finds instances by the name they have behind their gate, and holds a request for one: one proxy for many routes', () => {
    const proxy = {
      handler: 'reverse_proxy',
      dynamic_upstreams: {
        source: 'a',
        name: '{http.vars.alias}',
        port: '{http.vars.port}',
        refresh: '200ms',
        resolver: { addresses: ['127.0.0.11:53'] },
        versions: { ipv4: true, ipv6: false },
      },
      load_balancing: {
        selection_policy: { policy: 'random' },
        try_duration: '5000ms',
        try_interval: '100ms',
        retry_match: [untaken],
      },
      transport: {
        protocol: 'http',
        compression: false,
        dial_timeout: '1s',
        keep_alive: { enabled: true, idle_timeout: '1s', max_idle_conns_per_host: 256 },
        response_header_timeout: '2000ms',
      },
      stream_close_delay: '24h',
    }
    const routes = [route({ timeoutMs: 2_000 }), route({ host: 'b.example.com', timeoutMs: 2_000 })]
    const [, own, again, behind, ...more] = routesOf('http', routes)
    expect(own?.handle).to.deep.equal([
      { handler: 'vars', alias: 'web', port: '8000', patience: '5000 2000' },
    ])
    const match = { vars: { patience: ['5000 2000'] } }
    const limits = { handler: 'vars', tries_ms: 5_000, repeats: 'no' }
    expect(behind).to.deep.equal({ match: [match], handle: [limits, proxy] })
    const sender = {
      'X-Forwarded-For': ['{http.request.header.X-Forwarded-For}'],
      'X-Forwarded-Host': ['{http.request.header.X-Forwarded-Host}'],
      'X-Forwarded-Proto': ['{http.request.header.X-Forwarded-Proto}'],
    }
    const headers = { request: { set: sender, delete: ['Tallyman-Round', 'Expect'] } }
    expect(again).to.deep.equal({
      match: [{ ...match, remote_ip: { ranges: ['127.0.0.1/32'] } }],
      handle: [limits, { ...proxy, headers }],
    })
    expect(more).to.have.length(2)
  })

  it('P12 hands what a load cut short to the new routes: what no instance has, and a GET that may be repeated', () => {
    const backOf = (server: string, dialect: Dialect) =>
      caddy([route({ tls: 'auto', alsoPlain: true })], {}, dialect).apps.http.servers[
        server
      ]?.errors.routes.filter(({ handle }) => handle[0]?.handler === 'subroute')
    const [, first] = backOf('http', 'newer') ?? []
    const [proxy, ...others] = tried(first?.handle[0])
    // Each one is another connection, and what comes last is the page for requests that nobody takes.
    expect(others.slice(0, -1)).to.deep.equal(Array(7).fill(proxy))
    expect(others.at(-1)).to.include({ handler: 'static_response', status_code: 503 })
    const expression = [
      '{http.error.status_code} in [502, 503]',
      'double({http.reverse_proxy.duration_ms}) < double({http.vars.tries_ms})',
      'size({http.request.header.Tallyman-Round}) < 8',
      '({http.error.message} == "no upstreams available" || {http.error.message}.startsWith("dial ") || ({http.request.method} == "GET" && {http.vars.repeats} == "yes"))',
    ].join(' && ')
    expect(first?.match).to.deep.equal([{ expression }])
    expect(proxy).to.deep.equal({
      handler: 'reverse_proxy',
      upstreams: [{ dial: '127.0.0.1:80' }],
      transport: {
        protocol: 'http',
        compression: false,
        keep_alive: { enabled: false },
        expect_continue_timeout: '60s',
      },
      headers: {
        request: {
          set: {
            Host: ['{http.request.hostport}'],
            Expect: ['100-continue'],
            'Tallyman-Round': ['{http.request.header.Tallyman-Round}+'],
          },
        },
      },
    })
    const [secure] = tried(backOf('https', 'newer')?.[1]?.handle[0])
    expect(secure?.['upstreams']).to.deep.equal([{ dial: '127.0.0.1:443' }])
    expect(secure?.['transport']).to.deep.include({
      versions: ['1.1'],
      tls: { insecure_skip_verify: true, server_name: '{http.request.tls.server_name}' },
    })
    // With an older Caddy, the body is lost with the first connection.
    const older = backOf('http', 'older')?.[1]?.handle[0]
    expect(older?.errors?.routes.map(({ match }) => match)).to.deep.equal([
      [{ method: ['GET', 'HEAD'] }],
      undefined,
    ])
    expect(JSON.stringify(older)).not.to.match(/expect/i)
  })

  it('P33 sets and removes headers, and limits bodies', () => {
    const [headers, limit] = handlersOf([
      route({
        maxBodyBytes: 1_000,
        headers: { request: { 'X-A': 'b', 'X-C': null }, response: { 'X-D': 'e' } },
      }),
    ])
    expect([headers, limit]).to.deep.equal([
      {
        handler: 'headers',
        request: { set: { 'X-A': ['b'] }, delete: ['X-C'] },
        response: { set: { 'X-D': ['e'] }, deferred: true },
      },
      { handler: 'request_body', max_size: 1_000 },
    ])
  })

  it('G16 lets no text of a repository stand for anything of the ingress, its files above all', () => {
    const [, redirect] = handlersOf([
      route({
        redirect: 'https://example.com/{file./data/key}',
        headers: { response: { 'X-A': '{env.KEY}' } },
      }),
    ])
    expect(redirect?.headers).to.deep.equal({
      Location: [String.raw`https://example.com/\{file./data/key\}{http.request.uri}`],
    })
    expect(
      JSON.stringify(handlersOf([route({ headers: { response: { 'X-A': '{env.KEY}' } } })])[0]),
    ).to.include(String.raw`\\{env.KEY\\}`)
  })

  it('P33 goes down to one of a thousand hosts in few steps', () => {
    const hosts = Array.from({ length: 1_000 }, (_, n) => route({ host: `h${n}.example.com` }))
    const depths = (steps: readonly Step[], looked = 0): readonly number[] =>
      steps.flatMap(({ handle: [first] }, index) =>
        first?.routes === undefined ? [looked + index + 1] : depths(first.routes, looked + index + 1),
      )
    const most = depths(routesOf('http', hosts))
    expect(most).to.have.length(1_004)
    expect(Math.max(...most)).to.be.at.most(33)
  })

  it('G13 has requests counted by host where Caddy can, and where nobody makes up hosts without an end', () => {
    const countedBy = (routes: readonly Route[], parts: Partial<IngressSettings> = {}) =>
      caddy(routes, parts).apps.http.metrics?.per_host
    const names = ['own.example.com', '*.wild.example.com']
    const certificates = [{ chain: 'C', key: new Secret('K', 'mark'), names }]
    expect(countedBy([route(), route({ host: '*.example.com' })])).to.equal(true)
    expect(countedBy([route({ tls: 'auto' })])).to.equal(true)
    expect(countedBy([route({ host: '*.example.com', tls: 'auto' })])).to.equal(false)
    expect(countedBy([route({ tls: 'auto' })], { certificates })).to.equal(false)
    expect(
      caddy([route()], { http: { port: 8080, addresses: [] } }).apps.http.servers['http']?.routes[0]?.match,
    ).to.deep.equal([{ host: ['shop.example.com', 'shop.example.com:8080'] }])
  })

  it('G13 tells an older Caddy nothing that it does not know', () => {
    const { metrics, servers } = caddy([route({ tls: 'auto' })], {}, 'older').apps.http
    expect([metrics, servers['http']?.metrics, servers['https']?.metrics]).to.deep.equal([undefined, {}, {}])
    expect(JSON.stringify(servers)).to.not.match(/stream_close_delay|"versions":{/)
  })

  it('P33 answers nobody over HTTPS for another host than the connection was made for', () => {
    const { https } = caddy([route({ tls: 'auto' })]).apps.http.servers
    expect(https?.strict_sni_host).to.equal(true)
    expect(https?.errors.routes[0]).to.deep.include({
      match: [{ vars: { '{http.error.status_code}': ['421'] }, not: [{ host: ['shop.example.com'] }] }],
    })
  })

  it('writes requests down only where the operator wants them', () => {
    expect(caddy([route()]).apps.http.servers['http']).not.to.have.property('logs')
    const logged = caddy([route()], { accessLog: true })
    expect(logged.apps.http.servers['http']?.logs).to.deep.equal({})
    expect(logged.logging.logs['requests']).to.deep.equal({
      writer: { output: 'stdout' },
      encoder: { format: 'json' },
      include: ['http.log.access'],
    })
  })

  it('G16 is a secret where it holds a key, and has the key in it', () => {
    const certificates = [
      { chain: 'CERTIFICATE', key: new Secret('THE KEY', 'mark'), names: ['a.example.com'] },
    ]
    const withKey = settings({ certificates })
    const routes = [route({ tls: 'auto' })]
    const text = configurationText(configurationFor(routes, withKey, 'newer'), withKey)
    expect(text).to.be.instanceOf(Secret)
    expect(String(text)).to.equal('(secret)')
    expect(text instanceof Secret && text.reveal()).to.include('"key":"THE KEY"')
    expect(configurationText(configurationFor(routes, settings(), 'newer'), settings())).to.be.a('string')
  })

  it('G3 is the same for the same routes, in whatever order of hosts, and another one for another key', () => {
    const [a, b] = [route({ host: 'a.example.com', tls: 'auto' }), route({ host: 'b.example.com' })]
    const mark = (routes: readonly Route[], keyMark = '1') =>
      hashOf(
        configurationFor(
          routes,
          settings({ certificates: [{ chain: 'C', key: new Secret('K', keyMark), names: ['x'] }] }),
          'newer',
        ),
      )
    expect(mark([a, b])).to.equal(mark([b, a]))
    expect(mark([a, b])).not.to.equal(mark([a, b], '2'))
  })
})

/** What is tried one after the other, each because the one before got no answer. */
function tried(handler: Handler | undefined): readonly Handler[] {
  if (handler?.handler !== 'subroute') return handler === undefined ? [] : [handler]
  const { routes = [], errors } = handler
  return [...routes, ...(errors?.routes ?? [])].flatMap(({ handle }) => tried(handle[0]))
}

/** Of the only route over HTTP, in their order. */
function handlersOf(routes: readonly Route[]): readonly Handler[] {
  return routesOf('http', routes)[0]?.handle ?? []
}
