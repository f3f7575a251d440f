import { expect } from 'chai'
import { built, service } from './built.ts'

const own = { name: 'prod.shop', application: 'shop', mode: 'internal' }

/** The networks of a service that says this. */
function networks(lines: string, more = '', allowed = {}) {
  const { instance, problems } = service(lines, more, { policy: allowed })
  if (problems.length > 0) return problems.map(problem => problem.replace(/^\S+ \/services\/0\//, ''))
  return [instance?.network, ...(instance?.attachments ?? [])]
}

describe('networks of a service', () => {
  it('A47 reaches nothing outside unless it may', () => {
    expect(networks('')).to.deep.equal([own])
    expect(networks('', 'network: {outbound-access: {allow-all: false}}')).to.deep.equal([own])
    expect(networks('', 'network: {outbound-access: {allow-all: true}}')).to.deep.equal([
      own,
      { name: 'prod.shop.outbound', application: 'shop' },
    ])
  })

  it('A47 publishes ports over a network of their own, over which nothing leaves', () => {
    expect(networks('ports: ["8080:80"]')).to.deep.equal([
      own,
      { name: 'prod.shop.published', application: 'shop', mode: 'published' },
    ])
    expect(networks('ports: ["80"]', 'network: {outbound-access: {allow-all: true}}')).to.deep.equal([
      own,
      { name: 'prod.shop.outbound', application: 'shop' },
    ])
  })

  it('A5 shares a network with other applications that name it', () => {
    const { application } = built(
      'name: shop\nnetwork: {shared-application-network: backbone}\nservices: [{name: web, containers: [{name: web, image: web}]}]',
    )
    expect(application.services[0]?.instances[0]?.network).to.deep.equal({
      name: 'prod.backbone.shared',
      mode: 'internal',
    })
  })

  it('A45 publishes the ports of ingress-ip-per-instance under their own numbers', () => {
    const { instance } = service(
      '',
      'network: {ingress-ip-per-instance: {protocols: [{name: tcp, port-ranges: "443, 8000-8001"}, {name: udp, port-ranges: 53}]}}',
    )
    expect(instance?.containers[0].ports).to.deep.equal([
      { target: 53, published: 53, protocol: 'udp' },
      { target: 443, published: 443, protocol: 'tcp' },
      { target: 8000, published: 8000, protocol: 'tcp' },
      { target: 8001, published: 8001, protocol: 'tcp' },
    ])
    expect(instance?.attachments).to.deep.equal([
      { name: 'prod.shop.published', application: 'shop', mode: 'published' },
    ])
  })

  it('A45 refuses ports that are none, and a port twice', () => {
    const ingress = (ranges: string) =>
      `network: {ingress-ip-per-instance: {protocols: [{name: tcp, port-ranges: "${ranges}"}]}}`
    expect(networks('', ingress('80,x'))).to.deep.equal([
      'network/ingress-ip-per-instance/protocols/0/port-ranges "x" is no port; write for example "80,443,8000-8010" (application-invalid)',
    ])
    expect(networks('ports: ["80:8080"]', ingress('80'))).to.deep.equal([
      'network/ingress-ip-per-instance claims host port 80 a second time (application-invalid)',
    ])
  })

  it("G23 gives the host's network only where the policy allows it", () => {
    expect(networks('', 'network: {host: true}')).to.deep.equal([
      'network/host uses the network of the host; the operator allows that by "policy: {hostNetwork: true}" in tallyman.yaml (policy-violation)',
    ])
    expect(networks('', 'network: {host: true}', { hostNetwork: true })).to.deep.equal([
      { name: 'host', mode: 'host' },
    ])
    expect(networks('ports: ["80"]', 'network: {host: true}', { hostNetwork: true })).to.deep.equal([
      "network/host stands beside published ports; on the host's network every port is the host's (application-invalid)",
    ])
  })
})

describe('keys that have no effect on one Docker host (A45)', () => {
  it('A45 accepts placement, approle and on-mounted-file-change, and says so', () => {
    const { problems, warnings } = service(
      'approle: web\non-mounted-file-change: {restart: false}',
      'placement: {match-host-labels: "a = b", preferred-affinity: [x], preferred-anti-affinity: {y: z}}',
    )
    expect(problems).to.deep.equal([])
    expect(warnings.map(warning => warning.replace(/^\S+ \/services\/0\//, ''))).to.deep.equal([
      'placement has no effect: a site is one host (no-effect)',
      'containers/0/approle has no effect: secrets come from the providers of tallyman.yaml (no-effect)',
      'containers/0/on-mounted-file-change/restart has no effect: a changed file is a changed instance, which is replaced (no-effect)',
    ])
    expect(service('on-mounted-file-change: {restart: true}').warnings).to.deep.equal([])
  })

  it('A45 reads which nodes of a Swarm may run a service, and says what has no effect there', () => {
    const placement =
      'placement: {match-host-labels: disk = ssd, spread-over: [zone, rack], preferred-anti-affinity: [x]}'
    const { service: one, warnings } = service('', placement, { onSwarms: true })
    expect(one?.nodes).to.deep.equal({ kind: 'equal', label: 'disk', value: 'ssd' })
    expect(one?.spread).to.deep.equal(['zone', 'rack'])
    expect(warnings).to.deep.equal([
      'applications/shop.yaml:4:100: /services/0/placement/preferred-anti-affinity has no effect: a Swarm does not place one service by where another one runs; "spread-over" spreads the tasks of one over the values of labels of nodes (no-effect)',
    ])
    const onHost = service('', placement)
    expect(onHost.service, 'on a host').not.to.have.any.keys('nodes', 'spread')
    const all = 'mode: global\nplacement: {preferred-affinity: [x], spread-over: [zone]}'
    expect(service('', all, { onSwarms: true }).warnings.map(one => one.replace(/^\S+ /, ''))).to.deep.equal([
      '/services/0/placement/preferred-affinity has no effect: a Swarm does not place one service by where another one runs; the same "match-host-labels" for both keeps them on the same nodes (no-effect)',
      '/services/0/placement/spread-over has no effect with "mode: global": each node has one task (no-effect)',
    ])
    const wrong = service('', 'placement: {match-host-labels: disk == ssd}', { onSwarms: true })
    expect(wrong.problems).to.deep.equal([
      'applications/shop.yaml:4:42: /services/0/placement/match-host-labels is no label expression: expected a value, found "="; a label is compared with one "=" (application-invalid)',
    ])
  })
})
