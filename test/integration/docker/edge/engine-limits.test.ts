import { expect } from 'chai'
import pLimit from 'p-limit'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { container } from '../../../unit/spec/built.ts'
import { type TestSite, testSite } from '../site.ts'

/** What a specification says, and what the engine would be told of it. */
type Case = readonly [lines: string, body: object]

const driver = (Type: string, Config: object) => ({ HostConfig: { LogConfig: { Type, Config } } })
const memory = (path: string) => ({ HostConfig: { Tmpfs: { [path]: '' } } })
const limit = (Name: string) => ({ HostConfig: { Ulimits: [{ Name, Soft: 0, Hard: 0 }] } })

const refused: readonly Case[] = [
  ['user: 2147483648', { User: '2147483648' }],
  ['group_add: [2147483648]', { HostConfig: { GroupAdd: ['2147483648'] } }],
  ['tmpfs: /proc', memory('/proc')],
  ['tmpfs: /proc/x', memory('/proc/x')],
  ['tmpfs: /dev', memory('/dev')],
  ['tmpfs: /etc/hosts', memory('/etc/hosts')],
  ['logging: {driver: json-file, options: {max-sice: 1m}}', driver('json-file', { 'max-sice': '1m' })],
  ['logging: {driver: json-file, options: {max-size: abc}}', driver('json-file', { 'max-size': 'abc' })],
  ['logging: {driver: json-file, options: {max-file: 0}}', driver('json-file', { 'max-file': '0' })],
  ['logging: {driver: json-file, options: {compress: true}}', driver('json-file', { compress: 'true' })],
  [
    'logging: {driver: json-file, options: {max-buffer-size: 1m}}',
    driver('json-file', { 'max-buffer-size': '1m' }),
  ],
  ['logging: {driver: local, options: {tag: x}}', driver('local', { tag: 'x' })],
  ['logging: {driver: local, options: {max-file: 1}}', driver('local', { 'max-file': '1' })],
  ['logging: {driver: local, options: {mode: x}}', driver('local', { mode: 'x' })],
  ['logging: {driver: journald, options: {max-size: 1m}}', driver('journald', { 'max-size': '1m' })],
  ['extra_hosts: ["db:fe80::1%eth0"]', { HostConfig: { ExtraHosts: ['db:fe80::1%eth0'] } }],
  ['cpuset: 8193', { HostConfig: { CpusetCpus: '8193' } }],
  ['ulimits: {data: 0}', limit('data')],
  ['ulimits: {nofile: 0}', limit('nofile')],
  ['entrypoint: [""]', { Entrypoint: [''] }],
  ['entrypoint: ["", x]', { Entrypoint: ['', 'x'] }],
  ['sysctls: {net.: 1}', { HostConfig: { Sysctls: { 'net.': '1' } } }],
  ['sysctls: {kernel.hostname: web}', { HostConfig: { Sysctls: { 'kernel.hostname': 'web' } } }],
  ['sysctls: {vm.swappiness: 10}', { HostConfig: { Sysctls: { 'vm.swappiness': '10' } } }],
  ['sysctls: {kernel.shm_next_id: 1}', { HostConfig: { Sysctls: { 'kernel.shm_next_id': '1' } } }],
  ['security_opt: [foo=bar]', { HostConfig: { SecurityOpt: ['foo=bar'] } }],
  ['security_opt: [systempaths=unconfined]', { HostConfig: { SecurityOpt: ['systempaths=unconfined'] } }],
  ['security_opt: [seccomp=./x.json]', { HostConfig: { SecurityOpt: ['seccomp=./x.json'] } }],
]

const taken: readonly Case[] = [
  ['stop_signal: SIGKILL', { StopSignal: 'SIGKILL' }],
  ['user: 2147483647', { User: '2147483647' }],
  ['tmpfs: /dev/shm', memory('/dev/shm')],
  ['tmpfs: /sys/firmware', memory('/sys/firmware')],
  [
    'logging: {driver: json-file, options: {max-size: 1.5 m, max-file: 2, compress: T, tag: x, labels: a}}',
    driver('json-file', { 'max-size': '1.5 m', 'max-file': '2', compress: 'T', tag: 'x', labels: 'a' }),
  ],
  [
    'logging: {driver: local, options: {max-file: 1, compress: false, cache-disabled: true}}',
    driver('local', { 'max-file': '1', compress: 'false', 'cache-disabled': 'true' }),
  ],
  ['logging: {driver: none, options: {max-size: 1m}}', driver('none', { 'max-size': '1m' })],
  [
    'sysctls: {kernel.domainname: example.com}',
    { HostConfig: { Sysctls: { 'kernel.domainname': 'example.com' } } },
  ],
  ['dns: fe80::1%eth0', { HostConfig: { Dns: ['fe80::1%eth0'] } }],
]

/** The engine's answer when it refuses to make or to start a container; undefined where it does not. */
async function refusal(site: TestSite, image: string, body: object): Promise<string | undefined> {
  const Labels = { 'tallyman.environment': site.provenance.environment }
  const made = await engineCall(site.socket, 'POST', '/containers/create', { Image: image, Labels, ...body })
  if (made.status !== 201) return made.body.toString()
  const { Id } = JSON.parse(made.body.toString())
  const started = await engineCall(site.socket, 'POST', `/containers/${Id}/start`)
  await engineCall(site.socket, 'DELETE', `/containers/${Id}?force=1&v=1`)
  return started.status === 204 ? undefined : started.body.toString()
}

/** More containers at once gain nothing. */
const sideways = pLimit(4)

describe('what an engine takes', () => {
  const it = sideBySide()

  it('A45 is refused by validate before the engine is asked, and nothing else is', async () => {
    await using site = await testSite()
    const image = await site.push()
    await site.run({ do: 'pull-image', reference: image.reference, digest: image.digest })
    const policy = { securityOptions: ['foo=bar', 'systempaths=unconfined', 'seccomp=./x.json'] }
    await sideways.map(refused, async ([lines, body]) => {
      expect(await refusal(site, image.pinned, body), lines).to.be.a('string')
      expect(container(lines, '', { policy }), lines).to.have.property('problems')
    })
    await sideways.map(taken, async ([lines, body]) => {
      expect(await refusal(site, image.pinned, body), lines).to.equal(undefined)
      expect(container(lines, '', { policy }), lines).not.to.have.property('problems')
    })
  })

  it('A45 is no time of the processor: the kernel ends that at its first tick, also before its start is over', async () => {
    await using site = await testSite()
    const image = await site.push({ cmd: ['sh', '-c', 'while :; do :; done'] })
    await site.run({ do: 'pull-image', reference: image.reference, digest: image.digest })
    const Labels = { 'tallyman.environment': site.provenance.environment }
    const body = { Image: image.pinned, Labels, ...limit('cpu') }
    const made = await engineCall(site.socket, 'POST', '/containers/create', body)
    const { Id } = JSON.parse(made.body.toString())
    const started = await engineCall(site.socket, 'POST', `/containers/${Id}/start`)
    const ended = await engineCall(site.socket, 'POST', `/containers/${Id}/wait`)
    const { StatusCode } = JSON.parse(ended.body.toString())
    expect(started.status === 204 ? StatusCode : 'not started').to.be.oneOf(['not started', 137])
    expect(container('ulimits: {cpu: 0}', '')).to.have.property('problems')
  })
})
