import { expect } from 'chai'
import { formatProblem } from '../../../../lib/errors.ts'
import { type ResolveContext, resolve } from '../../../../lib/resolve.ts'
import { anySecrets } from '../../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../../lib/validate/repository.ts'
import { type Files, snapshotOf } from '../../../support/builders/snapshot.ts'

/** What is said of `environments/prod`, whose manifest names these applications in this order. */
async function said(names: readonly string[], files: Files, more: Partial<ResolveContext> = {}) {
  const context = { ...anybody, ...more }
  const services = names.map(name => ({
    name,
    ...(`applications/${name}.yaml` in files ? {} : { containers: [{ dockerName: 'any', dockerTag: '1' }] }),
  }))
  const manifest = `{"services": [\n${services.map(service => JSON.stringify(service)).join(',\n')}]}`
  const snapshot = snapshotOf({ 'environments/prod/manifest.json': manifest, ...files })
  const desired = await resolve(snapshot, { name: 'prod', directory: 'environments/prod' }, context)
  const blocked = desired.blocked.flatMap(({ problems }) => problems.map(formatProblem))
  const { problems: valid } = await validateRepository(snapshot, context)
  expect(valid.map(formatProblem), 'validate says the same').to.deep.equal(blocked)
  return { goOn: desired.applications.map(({ name }) => name), blocked }
}

const anybody: ResolveContext = {
  source: 'https://git.example.com/ops/manifests',
  policy: strictPolicy,
  healthyMs: 10_000,
  sandboxImage: 'busybox:stable',
  secrets: anySecrets,
}

function publishing(name: string, ports: string, more = ''): Files {
  return {
    [`applications/${name}.yaml`]: `name: ${name}
services:
  - name: ${name}
${more}    containers:
      - {name: web, image: web, ports: [${ports}]}
`,
  }
}

describe('what two applications claim', () => {
  it("D19 G1 D15 a port of the host is the one's that the manifest names first, and only the later one is refused", async () => {
    const files = { ...publishing('first', '"8080:80"'), ...publishing('second', '"127.0.0.1:8080:80"') }
    expect(await said(['first', 'second', 'third'], files)).to.deep.equal({
      goOn: ['first', 'third'],
      blocked: [
        'applications/second.yaml:5:41: second claims host port 127.0.0.1:8080, which first (applications/first.yaml:5) claims as host port 8080, too (port-claimed)',
      ],
    })
    const { goOn } = await said(['second', 'first', 'third'], files)
    expect(goOn).to.deep.equal(['second', 'third'])
  })

  it('D19 ports leave room for one another on other addresses and protocols', async () => {
    const files = {
      ...publishing('a', '"127.0.0.1:53:53/udp"'),
      ...publishing('b', '"127.0.0.1:53:53"'),
      ...publishing('c', '"[::1]:53:53/udp"'),
      ...publishing('d', '"127.0.0.2:53:53/udp"'),
      ...publishing('e', '"53"'),
    }
    expect(await said(['a', 'b', 'c', 'd', 'e'], files)).to.deep.equal({
      goOn: ['a', 'b', 'c', 'd', 'e'],
      blocked: [],
    })
  })

  it('D19 G1 a range is told once, with how many ports meet', async () => {
    const range = 'network: {ingress-ip-per-instance: {protocols: [{name: tcp, port-ranges: 8000-8099}]}}'
    const files = {
      ...publishing('first', '"8000-8199:8000-8199"'),
      ...publishing('second', '', `    ${range}\n`),
    }
    expect((await said(['first', 'second'], files)).blocked).to.deep.equal([
      'applications/second.yaml:4:40: second claims host port 8000, which first (applications/first.yaml:5) claims, too, and 99 more like it (port-claimed)',
    ])
  })

  it("P33 the ports of the ingress are its own as soon as anything has a route, and nobody's before", async () => {
    const listeners = () => ({
      http: { port: 80, addresses: ['10.0.0.1'] },
      https: { port: 443, addresses: [] },
    })
    const ingress = { pool: '10.201.0.0/16', holdMs: 5_000, listeners }
    const own = { ...publishing('own', '"80:80"'), ...publishing('quic', '"443:443/udp"') }
    expect((await said(['own', 'quic'], own, { ingress })).blocked).to.deep.equal([])
    const routed = publishing('shop', '', '    ingress: [{host: shop.example, port: 80}]\n')
    expect(await said(['own', 'quic', 'shop'], { ...own, ...routed }, { ingress })).to.deep.equal({
      goOn: ['shop'],
      blocked: [
        'applications/own.yaml:5:41: own claims host port 80, which the ingress (/ingress/http in tallyman.yaml) claims as host port 10.0.0.1:80, too (port-claimed)',
        'applications/quic.yaml:5:41: quic claims host port 443/udp, which the ingress (/ingress/https in tallyman.yaml) claims, too (port-claimed)',
      ],
    })
  })

  it("P33 G1 the ports of another environment's ingress on the same host are not an application's either", async () => {
    const neighbours = () => [
      {
        environment: 'devel',
        listeners: { http: { port: 8080, addresses: ['127.0.0.1'] }, https: { port: 8443, addresses: [] } },
      },
    ]
    const ingress = { pool: '10.201.0.0/16', holdMs: 5_000, neighbours }
    const files = {
      ...publishing('range', '"127.0.0.1:8000-8099:8000-8099"'),
      ...publishing('udp', '"8443:53/udp"'),
      ...publishing('fine', '"127.0.0.2:8080:80"'),
    }
    expect(await said(['range', 'udp', 'fine'], files, { ingress })).to.deep.equal({
      goOn: ['fine'],
      blocked: [
        'applications/range.yaml:5:41: range claims host port 127.0.0.1:8080, which the ingress of devel (/ingress in tallyman.yaml) claims, too (port-claimed)',
        'applications/udp.yaml:5:41: udp claims host port 8443/udp, which the ingress of devel (/ingress in tallyman.yaml) claims, too (port-claimed)',
      ],
    })
  })

  it('D19 a name on the network of the environment, where names know no case', async () => {
    expect(await said(['web', 'Web'], {})).to.deep.equal({
      goOn: ['web'],
      blocked: [
        'environments/prod/manifest.json:3:1: Web claims the name web on the network prod, which web (environments/prod/manifest.json:2) claims, too (name-claimed)',
      ],
    })
  })

  const sharing = (name: string, service: string, container = '') => ({
    [`applications/${name}.yaml`]: `name: ${name}
network: {shared-application-network: backbone}
services:
  - {name: ${service}, containers: [{name: app, image: app${container}}]}
`,
  })

  it('D19 A5 the name of a service on a network that both share, and on no other', async () => {
    const files = { ...sharing('first', 'api'), ...sharing('second', 'api'), ...publishing('api', '') }
    expect(await said(['first', 'second', 'api'], files)).to.deep.equal({
      goOn: ['first', 'api'],
      blocked: [
        'applications/second.yaml:4:12: second claims the name api on the network prod.backbone.shared, which first (applications/first.yaml:4) claims, too (name-claimed)',
      ],
    })
  })

  it('D19 A5 the host name of a container, which the engine answers as well', async () => {
    const files = { ...sharing('first', 'api'), ...sharing('second', 'web', ', hostname: API') }
    expect((await said(['first', 'second'], files)).blocked).to.deep.equal([
      'applications/second.yaml:4:64: second claims the name api on the network prod.backbone.shared, which first (applications/first.yaml:4) claims, too (name-claimed)',
    ])
  })

  it('D19 A5 an alias of a service, on its own network', async () => {
    const named = sharing('second', 'web')
    const text =
      Object.values(named)[0]?.replace('{name: web,', '{name: web, network: {aliases: [API]},') ?? ''
    const files = { ...sharing('first', 'api'), 'applications/second.yaml': text }
    expect((await said(['first', 'second'], files)).blocked).to.deep.equal([
      'applications/second.yaml:4:37: second claims the name api on the network prod.backbone.shared, which first (applications/first.yaml:4) claims, too (name-claimed)',
    ])
  })

  it("P33 requests are nobody's then: whose they are is for a person to say", async () => {
    const routed = (name: string) => publishing(name, '', '    ingress: [{host: shop.example, port: 80}]\n')
    const ingress = { pool: '10.201.0.0/16', holdMs: 5_000 }
    expect(await said(['a', 'b'], { ...routed('a'), ...routed('b') }, { ingress })).to.deep.equal({
      goOn: [],
      blocked: [
        'applications/a.yaml:4:15: a claims shop.example/, which b (applications/b.yaml:4) claims, too (route-taken)',
        'applications/b.yaml:4:15: b claims shop.example/, which a (applications/a.yaml:4) claims, too (route-taken)',
      ],
    })
  })

  const ingress = { pool: '10.201.0.0/16', holdMs: 5_000 }
  const routing = (name: string, ...routes: readonly string[]) =>
    publishing(name, '', `    ingress: [${routes.join(', ')}]\n`)

  it('D19 P33 requests are the same, however host and path are written', async () => {
    const files = {
      ...routing('a', '{host: Shop.Example, path: /Admin, port: 80}'),
      ...routing('b', '{host: shop.example., path: "/%61dmin/", port: 80}'),
      ...routing('c', '{host: BÜCHER.example, port: 80}'),
      ...routing('d', '{host: xn--bcher-kva.example, port: 80}'),
    }
    expect(await said(['a', 'b', 'c', 'd'], files, { ingress })).to.deep.equal({
      goOn: [],
      blocked: [
        'applications/a.yaml:4:15: a claims shop.example/admin, which b (applications/b.yaml:4) claims, too (route-taken)',
        'applications/b.yaml:4:15: b claims shop.example/admin, which a (applications/a.yaml:4) claims, too (route-taken)',
        'applications/c.yaml:4:15: c claims xn--bcher-kva.example/, which d (applications/d.yaml:4) claims, too (route-taken)',
        'applications/d.yaml:4:15: d claims xn--bcher-kva.example/, which c (applications/c.yaml:4) claims, too (route-taken)',
      ],
    })
  })

  it('D19 P31 P33 requests for static files are claimed with the route that they belong to', async () => {
    const files = {
      'applications/a.yaml': `name: a
services:
  - {name: a, pallet: {domain: shop.example}, containers: [{name: app, image: app}]}
`,
      ...routing('b', '{host: shop.example, path: /Static, port: 80}'),
    }
    const { blocked } = await said(['a', 'b'], files, { ingress })
    expect(blocked).to.deep.equal([
      'applications/a.yaml:3:32: a claims shop.example/static, which b (applications/b.yaml:4) claims, too (route-taken)',
      'applications/b.yaml:4:15: b claims shop.example/static, which a (applications/a.yaml:3) claims, too (route-taken)',
    ])
  })

  it('D19 P31 nobody has a route below the static files of another application, of which there may be several', async () => {
    const files = {
      'applications/a.yaml': `name: a
services:
  - {name: a, pallet: {domain: shop.example}, containers: [{name: app, image: app}]}
`,
      ...routing('b', '{host: shop.example, path: /static/admin, port: 80}'),
      ...routing('c', '{host: shop.example, path: /statics, port: 80}'),
      ...routing('d', '{path: /static/admin, port: 80}'),
    }
    expect(await said(['a', 'b', 'c', 'd'], files, { ingress })).to.deep.equal({
      goOn: ['c', 'd'],
      blocked: [
        'applications/a.yaml:3:32: a claims shop.example/static, which b (applications/b.yaml:4) claims as shop.example/static/admin, too (route-taken)',
        'applications/b.yaml:4:15: b claims shop.example/static/admin, which a (applications/a.yaml:3) claims as shop.example/static, too (route-taken)',
      ],
    })
  })

  it('P33 which certificate a host has is for the one to say who has all of it, wherever that is named', async () => {
    const files = {
      ...routing('part', '{host: shop.example, path: /api, port: 80, tls: internal}'),
      ...routing('whole', '{host: SHOP.example, port: 80, tls: auto}'),
      ...routing('plain', '{host: shop.example, path: /plain, port: 80}'),
      ...routing('same', '{host: shop.example, path: /same, port: 80, tls: auto}'),
    }
    expect(await said(['part', 'whole', 'plain', 'same'], files, { ingress })).to.deep.equal({
      goOn: ['whole', 'plain', 'same'],
      blocked: [
        'applications/part.yaml:4:15: part claims tls internal for shop.example, which whole (applications/whole.yaml:4) claims as tls auto for shop.example, too (certificate-claimed)',
      ],
    })
  })

  it('P33 which certificate a host has that nobody has all of is for the first to say', async () => {
    const files = {
      ...routing('a', '{host: shop.example, path: /a, port: 80, tls: internal}'),
      ...routing('b', '{host: shop.example, path: /b, port: 80, tls: auto}'),
    }
    expect((await said(['a', 'b'], files, { ingress })).goOn).to.deep.equal(['a'])
    expect((await said(['b', 'a'], files, { ingress })).goOn).to.deep.equal(['b'])
  })

  it('P33 one service cannot want two certificates for one host either', async () => {
    const routes = [
      '{host: shop.example, path: /a, port: 80, tls: internal}',
      '{host: shop.example, port: 80, tls: auto}',
    ]
    expect((await said(['a'], routing('a', ...routes), { ingress })).blocked).to.deep.equal([
      'applications/a.yaml:4:15: /services/0/ingress/0 claims tls internal for shop.example, and tls auto for shop.example is claimed already (application-invalid)',
    ])
  })
})
