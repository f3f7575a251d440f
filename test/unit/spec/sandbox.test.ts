import { expect } from 'chai'
import type { Container } from '../../../lib/state/application/container/container.ts'
import { built, service } from './built.ts'

/** The instance of a service that says these lines. */
function instance(lines: string) {
  const text = lines
    .split('\n')
    .map(line => `    ${line}\n`)
    .join('')
  const { application, problems } = built(`name: shop\nservices:\n  - name: web\n${text}`)
  return { instance: application.services[0]?.instances[0], problems: problems.map(withoutPlace) }
}

function withoutPlace(problem: string): string {
  return problem.replace(/^\S+:\d+:\d+: /, '').replace('/services/0/', '')
}

function withoutScript({ command, ...rest }: Container): object {
  return { ...rest, command: command?.length }
}

const two = `containers:
  - {name: web, image: "web:1", ports: ["8080:80"], hostname: shop, mounts: [{volume-name: scratch, mount-path: /a}]}
  - {name: log, image: "log:1", dns: 10.0.0.53, sysctls: {net.core.somaxconn: 1024}, mounts: [{volume-name: scratch, mount-path: /b}]}
init-containers:
  - {name: migrate, image: "web:1", command: migrate, extra_hosts: ["db:10.0.0.5"]}
volumes: [{name: scratch, ephemeral-volume: }]`

describe('instances of several containers', () => {
  it('C50 puts what containers share on a sandbox, and leaves them the rest', () => {
    const { instance: shop, problems } = instance(two)
    expect(problems).to.deep.equal([])
    if (shop?.sandbox === undefined) throw new Error('there is no sandbox')
    expect(withoutScript(shop.sandbox)).to.deep.equal({
      name: 'sandbox',
      image: {
        reference: 'docker.io/library/busybox:stable',
        configuredIn: 'sandbox',
        pin: { state: 'unknown', reason: 'not resolved yet' },
      },
      entrypoint: ['sh', '-c'],
      command: 1,
      restart: { name: 'unless-stopped' },
      stopGraceMs: 1_000,
      readOnly: true,
      capDrop: ['ALL'],
      hostname: 'shop',
      dns: ['10.0.0.53'],
      extraHosts: ['db:10.0.0.5'],
      sysctls: { 'net.core.somaxconn': '1024' },
      ports: [{ target: 80, published: 8080, protocol: 'tcp' }],
      mounts: [{ kind: 'ephemeral', path: '/volumes/scratch', name: 'scratch' }],
    })
    expect(shop.sharesProcesses).to.equal(true)
    const keys = (containers: readonly Container[]) =>
      containers.map(({ image: _, stopGraceMs: __, ...rest }) => rest)
    const restart = { name: 'unless-stopped' }
    expect(keys(shop.containers)).to.deep.equal([
      { name: 'web', restart, mounts: [{ kind: 'ephemeral', path: '/a', name: 'scratch' }] },
      { name: 'log', restart, mounts: [{ kind: 'ephemeral', path: '/b', name: 'scratch' }] },
    ])
    expect(keys(shop.init ?? [])).to.deep.equal([
      { name: 'migrate', restart: { name: 'no' }, command: ['migrate'] },
    ])
  })

  it('A3 keeps processes apart where the service says so', () => {
    expect(instance(`${two}\nshare-pid-namespace: false`).instance?.sharesProcesses).to.equal(false)
  })

  it('C50 needs no sandbox for one container, whatever it says of processes', () => {
    const { instance } = service('command: a', 'share-pid-namespace: false')
    expect(instance).not.to.have.any.keys('sandbox', 'sharesProcesses', 'init')
  })

  const pair = (one: string, other: string) =>
    `containers: [{name: a, image: a, ${one}}, {name: b, image: b, ${other}}]`
  const refused: readonly (readonly [string, string, string])[] = [
    [
      'two host names',
      pair('hostname: x', 'hostname: y'),
      'containers share one network, but a and b differ in hostname',
    ],
    [
      'two name servers',
      pair('dns: 10.0.0.1', 'dns: 10.0.0.2'),
      'containers share one network, but a and b differ in dns',
    ],
    [
      'two addresses of a name',
      pair('extra_hosts: ["db:10.0.0.1"]', 'extra_hosts: ["db:10.0.0.2"]'),
      'containers share one network, but a and b differ in extra_hosts for db',
    ],
    [
      'two values of a kernel parameter',
      pair('sysctls: {net.core.somaxconn: 1}', 'sysctls: {net.core.somaxconn: 2}'),
      'containers share one network, but a and b differ in sysctls net.core.somaxconn',
    ],
    [
      'one port for two containers',
      pair('ports: ["80"]', 'ports: ["8080:80"]'),
      'containers share one network, but a and b differ in ports 80/tcp',
    ],
    [
      'a container named as the sandbox',
      'containers: [{name: sandbox, image: a}, {name: b, image: b}]',
      'containers/0/name is "sandbox", which names what the containers of an instance share',
    ],
    [
      'an init container named as a container',
      'containers: [{name: a, image: a}]\ninit-containers: [{name: a, image: a}]',
      'init-containers/0/name is "a" a second time',
    ],
    [
      'an init container that is restarted',
      'containers: [{name: a, image: a}]\ninit-containers: [{name: b, image: b, restart: always}]',
      'init-containers/0/restart is not for init containers, which run to their end',
    ],
  ]
  for (const [what, lines, problem] of refused)
    it(`C50 refuses ${what}`, () => {
      expect(instance(lines).problems).to.deep.equal([`${problem} (application-invalid)`])
    })

  it('D5 pins images of init containers too', () => {
    const { application, problems } = built(
      'name: shop\nservices: [{name: web, containers: [{name: a, image: "a:1"}], init-containers: [{name: b, image: "b:1"}]}]',
      { entry: { containers: [{ dockerName: 'b', dockerTag: '2' }] } },
    )
    expect(problems).to.deep.equal([])
    expect(application.services[0]?.instances[0]?.init?.[0]?.image.reference).to.equal(
      'docker.io/library/b:2',
    )
  })
})
