import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { type Config, loadConfig } from '../../lib/config.ts'
import { Failure } from '../../lib/errors.ts'

function configOf(ingress: unknown): Config {
  const directory = mkdtempSync(join(tmpdir(), 'tallyman-config-'))
  const config = join(directory, 'tallyman.yaml')
  try {
    writeFileSync(config, stringify({ repository: { url: '/srv/manifests' }, ingress }))
    return loadConfig({ config }, {})
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** What is wrong, without file and line. */
function faults(ingress: unknown): readonly string[] {
  try {
    configOf(ingress)
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.message.split('\n').map(line => line.replace(/^\S+:\d+:\d+: (.*) \(config-invalid\)$/, '$1'))
  }
}

describe('ingress in tallyman.yaml', () => {
  it('P33 has a default for everything', () => {
    expect(configOf({}).ingress).to.deep.equal({
      image: 'caddy:2',
      http: { port: 80, addresses: [] },
      https: { port: 443, addresses: [] },
      acme: {},
      certificates: [],
      trustedProxies: [],
      accessLog: false,
      subnets: '10.201.0.0/16',
      holdMs: 5_000,
    })
    expect(configOf(undefined)).to.deep.equal(configOf({}))
  })

  it('P33 may be off', () => {
    expect(configOf('off').ingress).to.equal(undefined)
    expect(faults('on')).to.deep.equal([
      '/ingress must not be "on": What answers the requests of users; "off" for no routes at all, "external" for a Caddy of the operator\'s.',
    ])
  })

  it("P33 may be a Caddy of the operator's, which listens where the operator lets it", () => {
    expect(configOf('external')).to.deep.equal(configOf({ external: true }))
    expect(configOf('external').ingress).to.include({ isExternal: true, holdMs: 5_000 })
    const { http, health } =
      configOf({ external: true, http: { port: 8080 }, health: { port: 8080 } }).ingress ?? {}
    expect([http?.port, health?.port]).to.deep.equal([8080, 8080])
    expect(faults({ external: true, https: { addresses: ['10.0.0.5'] } })).to.deep.equal([
      '/ingress/https/addresses: says where a container of ours listens; with "external" there is none',
    ])
    expect(
      faults({ external: true, acme: { directory: 'https://ca.internal', root: '/ca.pem' } }),
    ).to.deep.equal([
      '/ingress/acme/root: is put into a container of ours; with "external" have your Caddy trust it',
    ])
    expect(faults({ external: false })).to.deep.equal(['/ingress/external must be equal to constant'])
  })

  it('P33 listens where it is told', () => {
    const { http, https, health } =
      configOf({
        http: { port: 8080 },
        https: { addresses: ['10.0.0.5', '::1'] },
        health: { port: 8404 },
      }).ingress ?? {}
    expect({ http, https, health }).to.deep.equal({
      http: { port: 8080, addresses: [] },
      https: { port: 443, addresses: ['10.0.0.5', '::1'] },
      health: { port: 8404, addresses: [] },
    })
  })

  it('P33 trusts a root for an authority that is named, and for no other', () => {
    const acme = { directory: 'https://ca.internal/acme/acme/directory', root: '/etc/tallyman/ca.pem' }
    expect(configOf({ acme }).ingress?.acme).to.deep.equal(acme)
    expect(faults({ acme: { root: acme.root } })).to.deep.equal([
      '/ingress/acme/root: vouches for an authority, which "directory" has to name',
    ])
  })

  it('G24 says of every value what is wrong with it, all at once', () => {
    expect(
      faults({
        image: 'Caddy',
        hold: 'long',
        subnets: '10.0.0.0/27',
        trustedProxies: ['10.0.0.0/8', 'lb.example.com', '10.0.0.0/33'],
        http: { addresses: ['eth0'] },
      }),
    ).to.deep.equal([
      '/ingress/image: "Caddy" has a name that is not lower-case letters and digits, joined by ".", "_", "-" and "/"',
      '/ingress/hold: "long" is no duration; write for example 90s, 1m30s or 500ms',
      '/ingress/subnets: "10.0.0.0/27" is no range to take subnets of 64 addresses from, as 10.201.0.0/16',
      '/ingress/trustedProxies/1: "lb.example.com" is neither an address nor a subnet',
      '/ingress/trustedProxies/2: "10.0.0.0/33" is neither an address nor a subnet',
      '/ingress/http/addresses/0: "eth0" is no address of a host',
    ])
  })

  it('G24 gives a port of an address to one of them', () => {
    expect(faults({ http: { port: 443 } })).to.deep.equal([
      '/ingress/https: is where /ingress/http is: port 443',
    ])
    expect(faults({ http: { port: 443, addresses: ['10.0.0.5'] }, health: { port: 80 } })).to.deep.equal([
      '/ingress/https: is where /ingress/http is: port 443',
    ])
    const apart = { http: { port: 443, addresses: ['10.0.0.5'] }, https: { addresses: ['10.0.0.6'] } }
    expect(faults(apart)).to.deep.equal([])
  })
})
