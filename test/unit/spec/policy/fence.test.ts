import { expect } from 'chai'
import { readGrants } from '../../../../lib/config/grants.ts'
import { Secret } from '../../../../lib/state/secret/secret.ts'
import type { Secrets } from '../../../../lib/state/secret/secrets.ts'
import { built } from '../built.ts'

type Written = Parameters<typeof readGrants>[0]

/** What is refused of `shop` in `prod` where the operator lists this. */
function refused(
  applications: Written,
  keys: string,
  container = '',
  environment = 'prod',
): readonly string[] {
  const faults: string[] = []
  const grants = readGrants(applications, (pointer, reason) => faults.push(`${pointer}: ${reason}`))
  expect(faults).to.deep.equal([])
  const text = `name: shop
services:
  - name: web
${keys === '' ? '' : `    ${keys}\n`}    containers: [{name: web, image: "web:1"${container}}]
`
  const { problems } = built(text, {
    environment,
    policy: { applications: grants },
    ingress: { pool: '10.201.0.0/16', holdMs: 5_000 },
    secrets,
  })
  return problems.map(problem =>
    problem
      .replace(/^\S+ \/services\/0\//, '')
      .replace(/; the operator allows that by (.*) in tallyman.yaml/, ' | $1'),
  )
}

const secrets: Secrets = {
  find: name => new Secret(name, `mark of ${name}`),
  below: () => ['user', 'password'],
  compose: text => new Secret(text, 'mark'),
  mark: '',
}

describe('the fence around an application (G23)', () => {
  const route = (host: string) => `ingress: [{host: ${host}, port: 80}]`

  it('G23 is not there as long as the operator lists nothing', () => {
    const env = ', env: {A: {secret: db/password}}, ports: ["9000:80", "80"]'
    expect(refused({}, route('any.example'), env)).to.deep.equal([])
  })

  it('G23 leaves an application what is listed for it, for everybody and for its environment', () => {
    const applications = {
      shop: { hosts: ['Shop.example.', '*.shop.example'] },
      '*': { hosts: ['common.example'] },
      'prod/shop': { hosts: ['prod.example'] },
      'prod/*': { hosts: ['all.prod.example'] },
      'devel/shop': { hosts: ['devel.example'] },
      other: { hosts: ['other.example'] },
    }
    const hosts = [
      'SHOP.example',
      'a.shop.example',
      '"*.shop.example"',
      'common.example',
      'prod.example',
      'all.prod.example',
    ]
    for (const host of hosts) expect(refused(applications, route(host)), host).to.deep.equal([])
    for (const host of ['other.example', 'devel.example', 'a.b.shop.example', '"*.example"'])
      expect(refused(applications, route(host)), host).to.have.length(1)
    expect(refused(applications, route('devel.example'), '', 'devel')).to.deep.equal([])
  })

  it('G23 stands around every application as soon as a kind is listed for one, and leaves other kinds alone', () => {
    const applications = { other: { hosts: ['other.example'] } }
    expect(refused(applications, route('shop.example'), ', ports: ["9000:80"]')).to.deep.equal([
      'ingress/0 asks for the host shop.example, which the operator does not list for shop | "policy: {applications: {shop: {hosts: [shop.example]}}}" (policy-violation)',
    ])
    expect(refused(applications, 'ingress: [{path: /api, port: 80}]')).to.deep.equal([
      'ingress/0 asks for every host that nobody names, which the operator does not list for shop | "policy: {applications: {shop: {hosts: ["*"]}}}" (policy-violation)',
    ])
    expect(refused({ shop: { hosts: ['*'] } }, 'ingress: [{path: /api, port: 80}]')).to.deep.equal([])
  })

  it('G23 names the entry that was probably meant, if none has the name of the application', () => {
    expect(refused({ 'prod/shpo': { hosts: ['shop.example'] } }, route('shop.example'))).to.deep.equal([
      'ingress/0 asks for the host shop.example, which the operator does not list for shop (the nearest entry is for "shpo") | "policy: {applications: {shop: {hosts: [shop.example]}}}" (policy-violation)',
    ])
    const own = { 'devel/shop': {}, shpo: { hosts: ['shop.example'] } }
    expect(refused(own, route('shop.example')).join()).not.to.contain('nearest entry')
  })

  it('G23 P33 holds for the domains of a Pallet application', () => {
    expect(
      refused({ shop: { hosts: ['a.example'] } }, 'pallet: {domain: "a.example|B.example:8443"}'),
    ).to.deep.equal([
      'pallet/domain asks for the host b.example, which the operator does not list for shop | "policy: {applications: {shop: {hosts: [b.example]}}}" (policy-violation)',
    ])
  })

  it('G23 G16 keeps secrets from those for whom they are not listed, wherever they are asked for', () => {
    const applications = { shop: { secrets: ['shop/*', 'smtp'] }, other: { secrets: ['db/password'] } }
    const told = (name: string) =>
      `asks for the secret "${name}", which the operator does not list for shop | "policy: {applications: {shop: {secrets: [${name}]}}}" (policy-violation)`
    expect(
      refused(
        applications,
        'variables: [{name: V, value-from-vault-secret: {vault: db, secret: main, key: password}}]',
        ', env: {A: {secret: shop/a/b}, B: {secret: smtp}, C: {secret: db/password}, D: "${V}"}',
      ),
    ).to.deep.equal([
      `variables/0/value-from-vault-secret ${told('db/main/password')}`,
      `containers/0/env/C ${told('db/password')}`,
    ])
    expect(
      refused(
        applications,
        'volumes: [{name: a, secret: {items: [{name: k, secret: db/password}]}}, {name: b, vault-secret: {vault: shop, secret: x}}, {name: c, vault-secret: {vault: db, secret: x}}]',
      ),
    ).to.deep.equal([
      `volumes/0/secret/items/0/secret ${told('db/password')}`,
      'volumes/2/vault-secret asks for all secrets below "db/x/", which the operator does not list for shop | "policy: {applications: {shop: {secrets: ["db/x/*"]}}}" (policy-violation)',
    ])
  })

  it('G23 keeps ports of the host: ranges, protocols, ports that the engine chooses, and the network of the host', () => {
    const applications = { shop: { ports: [8080, '9000-9009', '53/udp'] } }
    expect(
      refused(
        applications,
        'network: {ingress-ip-per-instance: {protocols: [{name: udp, port-ranges: "53,9000-9002"}]}}',
        ', ports: ["127.0.0.1:8080:80", "9008-9011:1-4", "53:53", "80"]',
      ),
    ).to.deep.equal([
      'network/ingress-ip-per-instance publishes host port 9000/udp and 2 more, which the operator does not list for shop | "policy: {applications: {shop: {ports: [9000-9002/udp]}}}" (policy-violation)',
      'containers/0/ports/1 publishes host port 9010 and 1 more, which the operator does not list for shop | "policy: {applications: {shop: {ports: [9010-9011]}}}" (policy-violation)',
      'containers/0/ports/2 publishes host port 53, which the operator does not list for shop | "policy: {applications: {shop: {ports: [53]}}}" (policy-violation)',
      'containers/0/ports/3 publishes port 80 where the engine chooses, which the operator does not list for shop | "policy: {applications: {shop: {ports: ["*"]}}}" (policy-violation)',
    ])
    expect(refused({ shop: { ports: ['*'] } }, '', ', ports: ["80", "9999:80/sctp"]')).to.deep.equal([])
    const [first] = refused(applications, 'network: {host: true}').filter(one => one.includes('every port'))
    expect(first).to.equal(
      'network/host has every port of the host, which the operator does not list for shop | "policy: {applications: {shop: {ports: ["*"]}}}" (policy-violation)',
    )
  })

  it('G24 says of every entry what is wrong with it', () => {
    const faults: string[] = []
    readGrants(
      {
        'a/b/c': {},
        '': { hosts: ['a b', 'a.example:80', '**'] },
        shop: { ports: ['80:80', '99999', '9-1', '80/icmp', '8080'] },
      },
      (pointer, reason) => faults.push(`${pointer}: ${reason}`),
    )
    expect(faults).to.deep.equal([
      '/policy/applications/a~1b~1c: "a/b/c" is neither an application nor an environment and an application; write for example shop, prod/shop or "*"',
      '/policy/applications/: "" is neither an application nor an environment and an application; write for example shop, prod/shop or "*"',
      '/policy/applications//hosts/0: "a b" is no domain',
      '/policy/applications//hosts/1: "a.example:80" has a port; the ports of the ingress stand in tallyman.yaml',
      '/policy/applications//hosts/2: "**" is no domain',
      '/policy/applications/shop/ports/0: "80:80" is no port of the host; write for example 8080, 8000-8010, 53/udp or "*"',
      '/policy/applications/shop/ports/1: 99999 is not between 1 and 65535',
      '/policy/applications/shop/ports/2: 9-1 runs backwards',
      '/policy/applications/shop/ports/3: "80/icmp" has the protocol "icmp"; there are tcp, udp and sctp',
    ])
  })
})
