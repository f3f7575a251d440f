import { expect } from 'chai'
import { forSwarm } from '../../../lib/resolve/swarm/for-swarm.ts'
import { desired } from '../../support/builders/builders.ts'
import { built } from '../spec/built.ts'

/** What keeps a service from a Swarm, with one container that says this. */
function lacks(container: string, ofService = '', publish: 'ingress' | 'host' = 'ingress') {
  const { application, problems } = built(
    `{name: shop, services: [{name: web, ${ofService} network: {outbound-access: {allow-all: true}}, containers: [{name: web, image: "web:1", ${container}}]}]}`,
    { policy: { privileged: true, ports: { privileged: true, anyAddress: true } } },
  )
  expect(problems).to.deep.equal([])
  const { blocked } = forSwarm(desired(application), { endpoint: 'dnsrr', publish })
  return blocked.flatMap(found => found.problems.map(({ message }) => message))
}

const http = 'probes: {readiness: {http: {port: 80}}}'
const ofHttp =
  'shop: web has a readiness probe over http, which a Swarm does not perform: use "healthcheck", or "readiness" with a "command"'

describe('probes on a Swarm', () => {
  it('D15 A44 names a probe over the network as what it is', () => {
    expect(lacks(http)).to.deep.equal([ofHttp])
    expect(lacks('probes: {startup: {tcp: {port: 80}}, liveness: {http: {port: 80}}}')).to.deep.equal([
      'shop: web has a startup probe over tcp, which a Swarm does not perform: use "healthcheck", or "readiness" with a "command"',
      'shop: web has a liveness probe over http, which a Swarm does not perform: use "healthcheck", or "readiness" with a "command"',
    ])
  })

  it('D15 A44 names one with a command, unless it only says when a task is ready', () => {
    const words = 'use "healthcheck", because a Swarm replaces a task whose health check fails'
    expect(lacks('probes: {liveness: {command: [a]}}')).to.deep.equal([
      `shop: web has a startup or liveness probe with a command: ${words}`,
    ])
    expect(lacks('probes: {readiness: {command: [a]}}')).to.deep.equal([])
  })

  const more = 'init-containers: [{name: migrate, image: "web:1", command: migrate}],'

  it('D15 tells init containers from several at a time', () => {
    const second = 'containers: [{name: web, image: "web:1"}, {name: log, image: "log:1"}]'
    const { application } = built(`{name: shop, services: [{name: web, ${second}}]}`)
    const { blocked } = forSwarm(desired(application), { endpoint: 'vip', publish: 'ingress' })
    expect(blocked[0]?.problems.map(({ message }) => message)).to.deep.equal([
      'shop: web has several containers in one instance, and a task of a Swarm is one container',
    ])
    expect(lacks('', more)).to.deep.equal([
      'shop: web has init containers, and a task of a Swarm is one container',
    ])
  })

  for (const [key, words] of [
    ['shm_size: 64m', 'sets the size of its shared memory'],
    ['ports: ["127.0.0.1:80:80"]', 'publishes a port on one address'],
    ['cpuset: "0"', 'chooses its CPUs'],
    ['privileged: true', 'is privileged'],
  ] as const)
    it(`D15 names ${key} beside a probe or an init container, as it does alone`, () => {
      const alone = lacks(key, '', 'host')
      expect(alone).to.deep.equal([`shop: web ${words}`])
      expect(lacks(`${key}, ${http}`, '', 'host')).to.have.members([ofHttp, ...alone])
      expect(lacks(key, more, 'host')).to.include.members([...alone])
    })

  it('D15 names a port beside a probe where neither every node nor those of its tasks would publish it', () => {
    expect(lacks(`ports: ["80:80"], ${http}`)).to.have.members([
      ofHttp,
      'shop: web publishes a port, which needs "publishMode: host" beside "endpointMode: dnsrr"',
    ])
  })
})
