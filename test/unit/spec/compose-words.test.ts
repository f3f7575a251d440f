import { expect } from 'chai'
import { parseYaml } from '../../../lib/document/yaml.ts'
import { formatProblem } from '../../../lib/errors.ts'
import { checkSchema } from '../../../lib/schema.ts'
import { readText } from '../../docs/documents.ts'
import { container, service } from './built.ts'

describe('words that Compose has besides', () => {
  const read: readonly (readonly [string, string, object])[] = [
    ['further groups', 'group_add: [video, 0044, 44, video]', { groupAdd: ['0044', '44', 'video'] }],
    ['a terminal', 'tty: true\nstdin_open: true', { tty: true, stdinOpen: true }],
    ['no terminal', 'tty: false\nstdin_open: false', {}],
    [
      'memory and swap',
      'mem_limit: 64m\nmem_reservation: 32m\nmemswap_limit: 128m',
      {
        memoryBytes: 67_108_864,
        memoryReservationBytes: 33_554_432,
        memorySwapBytes: 134_217_728,
      },
    ],
    ['a reservation alone', 'mem_reservation: 32m', { memoryReservationBytes: 33_554_432 }],
    [
      'swap without a limit',
      'mem_limit: 64m\nmemswap_limit: -1',
      { memoryBytes: 67_108_864, memorySwapBytes: -1 },
    ],
    ['swap as the engine chooses', 'mem_limit: 64m\nmemswap_limit: 0', { memoryBytes: 67_108_864 }],
    ['which CPUs, and what share', 'cpuset: 0-1,3\ncpu_shares: 512', { cpuset: '0-1,3', cpuShares: 512 }],
    ['one CPU', 'cpuset: 0', { cpuset: '0' }],
    ['that it is ended sooner', 'oom_score_adj: 500', { oomScoreAdj: 500 }],
    ['that it is ended like all', 'oom_score_adj: 0', {}],
    [
      'where names are looked up',
      'dns_search: [b.example, a.example.]\ndns_opt: ["ndots:1", rotate]',
      { dnsSearch: ['b.example', 'a.example.'], dnsOptions: ['ndots:1', 'rotate'] },
    ],
    ['that names are looked up nowhere', 'dns_search: .', { dnsSearch: ['.'] }],
    [
      'whose an in-memory directory is',
      'tmpfs: "/run:rw,exec,size=1m,mode=0750,uid=1000,gid=2000,nodev"',
      {
        mounts: [
          {
            kind: 'tmpfs',
            path: '/run',
            exec: true,
            sizeBytes: 1_048_576,
            mode: 0o750,
            uid: 1000,
            gid: 2000,
          },
        ],
      },
    ],
    [
      'labels without a value in a list',
      'labels: [com.example.flag, "a=b=c", d=]',
      { labels: { 'com.example.flag': '', a: 'b=c', d: '' } },
    ],
    [
      'labels without a value in a map',
      'labels: {com.example.flag: , a: 1.0}',
      { labels: { 'com.example.flag': '', a: '1.0' } },
    ],
    [
      'options of the log without a driver',
      'logging: {options: {max-size: 10m, max-file: 3}}',
      { logging: { options: { 'max-size': '10m', 'max-file': '3' } } },
    ],
    ['logging that says nothing', 'logging: {}', {}],
    [
      'how often is looked at the start',
      'healthcheck: {start_period: 1m, start_interval: 1s}',
      { healthcheck: { kind: 'command', startPeriodMs: 60_000, startIntervalMs: 1_000 } },
    ],
  ]
  for (const [what, lines, fields] of read)
    it(`reads ${what}`, () => {
      expect(container(lines)).to.deep.equal(fields)
    })

  const refused: readonly (readonly [string, string, string])[] = [
    ['a path as a group', 'group_add: ["/etc"]', 'group_add/0 "/etc" is no group; write for example 1000'],
    [
      'more memory reserved than there is',
      'mem_limit: 64m\nmem_reservation: 65m',
      'mem_reservation is more than mem_limit, which nobody can reserve',
    ],
    [
      'swap without memory',
      'memswap_limit: 64m',
      'memswap_limit needs mem_limit, as it is memory and swap together',
    ],
    [
      'less swap and memory than memory',
      'mem_limit: 64m\nmemswap_limit: 32m',
      'memswap_limit is less than mem_limit; it is memory and swap together',
    ],
    [
      'CPUs that run backwards',
      'cpuset: 3-1',
      'cpuset "3-1" is no list of CPUs; write for example 0-3 or 0,2',
    ],
    ['no CPUs', 'cpuset: ""', 'cpuset "" is no list of CPUs; write for example 0-3 or 0,2'],
    ['a domain that is none', 'dns_search: ["a b"]', 'dns_search/0 "a b" is no domain'],
    [
      'a second line of resolv.conf',
      'dns_opt: ["ndots:1\\nnameserver 10.0.0.1"]',
      'dns_opt/0 "ndots:1\nnameserver 10.0.0.1" is no option of resolv.conf; write for example ndots:1',
    ],
    [
      'where an unknown driver would write to',
      'logging: {options: {syslog-address: "udp://10.0.0.1:514"}}',
      'logging/options sets syslog-address, which needs a "driver"; without one there are max-size, max-file, compress',
    ],
    [
      'a start interval without a unit',
      'healthcheck: {start_interval: "5"}',
      'healthcheck/start_interval "5" is no duration; write for example 90s, 1m30s or 500ms',
    ],
  ]
  for (const [what, lines, problem] of refused)
    it(`refuses ${what}`, () => {
      expect(container(lines)).to.deep.equal({ problems: [`${problem} (application-invalid)`] })
    })

  it('G23 refuses a container that has others ended in its place, unless the policy allows it', () => {
    expect(container('oom_score_adj: -500')).to.deep.equal({
      problems: [
        'oom_score_adj makes the kernel kill others first when memory is short; the operator allows that by "policy: {oomProtection: true}" in tallyman.yaml (policy-violation)',
      ],
    })
    const policy = { oomProtection: true }
    expect(container('oom_score_adj: -500', '', { policy })).to.deep.equal({ oomScoreAdj: -500 })
  })
})

describe('keys of Compose that something else stands for', () => {
  const faults = (text: string) =>
    checkSchema('application', parseYaml('a.yaml', `name: a\n${text}`)).map(formatProblem)

  it('D2 says what that is, with the place', () => {
    expect(
      faults(`networks: {}
services:
  - name: web
    image: web:1
    containers: [{name: web, image: web:1, depends_on: [db], container_name: web}]`),
    ).to.deep.equal([
      'a.yaml:2:1: /networks is not a known key: "network" of the application and of the service says what it reaches (application-invalid)',
      'a.yaml:5:5: /services/0/image is not a known key: stands with a container, under "containers" (application-invalid)',
      'a.yaml:6:44: /services/0/containers/0/depends_on is not a known key: "init-containers" run before the others, and "requires" of the application names applications that have to be healthy first (application-invalid)',
      'a.yaml:6:62: /services/0/containers/0/container_name is not a known key: containers are named by tallyman; others reach a service by its name, and by "aliases" of its network (application-invalid)',
    ])
  })

  it('D2 knows none of them itself', () => {
    for (const name of ['application', 'deployment']) {
      const schema: unknown = JSON.parse(readText(`schemas/${name}.schema.json`))
      const own = objectsIn(schema).flatMap(({ instead = {}, properties = {} }) =>
        Object.keys(instead).filter(key => key in properties),
      )
      expect(own, name).to.deep.equal([])
    }
  })
})

type Told = { readonly instead?: object; readonly properties?: object }

function objectsIn(schema: unknown): readonly Told[] {
  if (typeof schema !== 'object' || schema === null) return []
  return [schema, ...Object.values(schema).flatMap(objectsIn)]
}

describe('further names of a service', () => {
  const aliases = (written: string) => {
    const { instance, problems } = service('', `network: {${written}}`, { policy: { hostNetwork: true } })
    return problems.length > 0 ? problems.map(one => one.replace(/^\S+ /, '')) : (instance?.aliases ?? 'none')
  }

  it('reads them in one order, each once', () => {
    expect(aliases('aliases: [db.internal, cache, db.internal]')).to.deep.equal(['cache', 'db.internal'])
    expect(aliases('aliases: []')).to.equal('none')
  })

  it('refuses what is no name, and a name where nobody has any', () => {
    expect(aliases('aliases: ["a b"]')).to.deep.equal([
      '/services/0/network/aliases/0 "a b" is no host name (application-invalid)',
    ])
    expect(aliases('host: true, aliases: [db]')).to.deep.equal([
      `/services/0/network/aliases stands beside "host: true"; nobody has names on the host's network (application-invalid)`,
    ])
  })
})

describe('words of containers that share a network', () => {
  const pair = (one: string, other = '') =>
    service(one, `init-containers: [{name: init, image: i${other}}]`).instance

  it('C50 gives what resolv.conf holds to the sandbox, and to none of them', () => {
    const made = pair('dns_search: a.example\ndns_opt: ["ndots:2"]\ntty: true')
    expect(made?.sandbox).to.deep.include({ dnsSearch: ['a.example'], dnsOptions: ['ndots:2'] })
    expect(made?.containers[0]).to.not.have.any.keys('dnsSearch', 'dnsOptions')
    expect(made?.containers[0]).to.include({ tty: true })
  })
})
