import { expect } from 'chai'
import { ingressApplication } from '../../../lib/ingress/application.ts'
import type { Service } from '../../../lib/state/application/application.ts'
import { routingOf } from '../../../lib/state/application/ingress/traffic.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import { application, service } from '../../support/builders/builders.ts'
import { reached, settings, statics } from './parts.ts'

function servicesOf(...parts: Parameters<typeof ingressApplication>): readonly Service[] {
  return ingressApplication(...parts)?.services ?? []
}

describe('the ingress as an application', () => {
  it('is not there when nothing has a route', () => {
    expect(ingressApplication('prod', [application('web', [service()])], settings())).to.equal(undefined)
  })

  it('D15 has its own network from the range of the gates, however few the engine has left', () => {
    const [ingress] = servicesOf('prod', [reached('shop', {})], settings({ pool: '10.202.0.0/16' }))
    expect(ingress?.instances[0]?.network).to.deep.equal({
      name: 'prod.tallyman-ingress',
      application: 'tallyman-ingress',
      pool: '10.202.0.0/16',
    })
  })

  it('X15 publishes HTTP and HTTPS, the latter over UDP too, on the addresses of the operator', () => {
    const listeners = {
      http: { port: 8080, addresses: ['10.0.0.5', '10.0.0.6'] },
      https: { port: 443, addresses: [] },
      health: { port: 8404, addresses: ['127.0.0.1'] },
    }
    const [ingress] = servicesOf('prod', [reached('shop', {})], settings(listeners))
    expect(ingress?.instances[0]?.containers[0].ports).to.deep.equal([
      { target: 80, published: 8080, protocol: 'tcp', hostIp: '10.0.0.5' },
      { target: 80, published: 8080, protocol: 'tcp', hostIp: '10.0.0.6' },
      { target: 443, published: 443, protocol: 'tcp' },
      { target: 443, published: 443, protocol: 'udp' },
      { target: 8080, published: 8404, protocol: 'tcp', hostIp: '127.0.0.1' },
    ])
  })

  it('D3 keeps its certificates in a volume of its own', () => {
    const [ingress] = servicesOf('prod', [reached('shop', {})], settings())
    expect(ingress?.instances[0]?.volumes).to.deep.equal([
      { name: 'prod.tallyman-ingress.data', application: 'tallyman-ingress' },
    ])
  })

  it('P12 is the same container whatever its routes: they are loaded while it runs', () => {
    const [one] = servicesOf('prod', [reached('shop', {})], settings())
    const [other] = servicesOf(
      'prod',
      [reached('shop', { path: '/other', tls: 'auto' }), reached('blog', { host: 'blog.example.com' })],
      settings({ certificates: [{ chain: 'C', key: new Secret('K', 'm'), names: ['shop.example.com'] }] }),
    )
    expect(one?.instances).to.deep.equal(other?.instances)
    expect(one && routingOf(one)?.mark)
      .to.match(/^[0-9a-f]{8}$/)
      .and.not.equal(other && routingOf(other)?.mark)
  })

  it('P33 has the root of a private authority as a file, whose path its configuration names', () => {
    const acme = { directory: 'https://ca.internal/acme/acme/directory', root: 'PEM' }
    const [ingress] = servicesOf('prod', [reached('shop', { tls: 'auto' })], settings({ acme }))
    const files = ingress?.instances[0]?.containers[0].files
    expect(files?.slice(1)).to.deep.equal([{ path: '/etc/caddy/authority.pem', content: 'PEM', mode: 0o600 }])
    const { apps } = JSON.parse(String((ingress && routingOf(ingress))?.configuration.older))
    expect(apps.tls.automation.policies[0].issuers).to.deep.equal([
      { module: 'acme', ca: acme.directory, trusted_roots_pem_files: ['/etc/caddy/authority.pem'] },
    ])
  })

  it('P12 is on the gate of every application that has a route', () => {
    const [ingress] = servicesOf(
      'prod',
      [reached('shop', {}), application('quiet', [service()]), reached('blog', { host: 'blog.example.com' })],
      settings(),
    )
    expect((ingress && routingOf(ingress))?.networks.map(({ name }) => name)).to.deep.equal([
      'prod.blog.ingress',
      'prod.shop.ingress',
    ])
    expect((ingress && routingOf(ingress))?.routes.map(({ host }) => host)).to.deep.equal([
      'blog.example.com',
      'shop.example.com',
    ])
  })

  it('P31 has a server of static files for each application, with their volume and nothing else', () => {
    const files = statics('shop')
    const shop = reached('shop', { statics: files }, { host: 'www.example.com', statics: files })
    const services = servicesOf('prod', [shop], settings())
    expect(services.map(({ name }) => name)).to.deep.equal(['tallyman-ingress', 'static-shop'])
    const [, server] = services
    const [instance] = server?.instances ?? []
    expect(server?.traffic).to.deep.equal({
      role: 'backend',
      gate: {
        network: { name: 'prod.shop.ingress', application: 'shop', mode: 'gate', pool: '10.201.0.0/16' },
        alias: files.alias,
      },
      routes: [],
    })
    expect(instance?.network).to.deep.equal({
      name: 'prod.tallyman-ingress.static',
      application: 'tallyman-ingress',
      mode: 'internal',
    })
    expect(instance?.containers[0].mounts).to.deep.equal([
      { kind: 'ephemeral', path: '/cell' },
      { kind: 'volume', volume: 'prod.shop.static', path: '/cell/static', exclusive: false, readOnly: true },
    ])
    expect(instance?.volumes).to.deep.equal(files.volumes)
  })
})
