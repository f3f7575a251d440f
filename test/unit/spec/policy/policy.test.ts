import { expect } from 'chai'
import { parseYaml } from '../../../../lib/document/yaml.ts'
import { checkSteps } from '../../../../lib/plan/compare/prepare.ts'
import { checkSchema } from '../../../../lib/schema.ts'
import { type Policy, strictPolicy, violations } from '../../../../lib/spec/policy/policy.ts'
import { volumeViolation } from '../../../../lib/spec/policy/volume.ts'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import { service } from '../built.ts'

describe('policy (G23)', () => {
  it('G23 lets an ordinary container through', () => {
    const { keys } = judge({
      capDrop: ['ALL'],
      securityOpt: ['no-new-privileges:true'],
      sysctls: { 'net.core.somaxconn': '1024', 'kernel.shmmax': '1' },
      mounts: [{ kind: 'volume', volume: 'prod.shop.data', path: '/data', exclusive: true }],
    })
    expect(keys).to.deep.equal([])
  })

  it('G23 refuses everything that makes a container root on the host, and names the key that allows it', () => {
    const { reasons } = judge({
      privileged: true,
      capAdd: ['NET_ADMIN', 'SYS_TIME'],
      devices: [{ host: '/dev/mem', container: '/dev/mem', permissions: 'rwm' }],
      securityOpt: ['apparmor=unconfined'],
      sysctls: { 'kernel.core_pattern': '|/bin/evil' },
      logging: { driver: 'syslog', options: { 'syslog-address': 'unixgram:///run/docker.sock' } },
      mounts: [{ kind: 'host', source: '/etc', path: '/etc' }],
    })
    expect(reasons).to.deep.equal([
      'privileged is root on the host; the operator allows that by "policy: {privileged: true}" in tallyman.yaml',
      'cap_add adds the capability NET_ADMIN; the operator allows that by "policy: {capabilities: [NET_ADMIN]}" in tallyman.yaml',
      'cap_add adds the capability SYS_TIME; the operator allows that by "policy: {capabilities: [SYS_TIME]}" in tallyman.yaml',
      'devices hands out the device /dev/mem; the operator allows that by "policy: {devices: [/dev/mem]}" in tallyman.yaml',
      'security_opt sets apparmor=unconfined; the operator allows that by "policy: {securityOptions: ["apparmor=unconfined"]}" in tallyman.yaml',
      'sysctls sets the host\'s kernel.core_pattern, for which engines need another runtime than runc; the operator allows that by "policy: {sysctls: [kernel.core_pattern]}" in tallyman.yaml',
      'logging sends its output to the log driver "syslog"; the operator allows that by "policy: {logDrivers: [json-file, local, none, journald, syslog]}" in tallyman.yaml',
      'mounts mounts /etc of the host; the operator allows that by "policy: {hostMounts: [/etc]}" in tallyman.yaml',
    ])
  })

  it('G23 C40 lets a container that drops all capabilities have those back that every container has', () => {
    expect(judge({ capDrop: ['ALL'], capAdd: ['NET_RAW', 'CHOWN'] }).keys).to.deep.equal([])
    expect(judge({ capDrop: ['ALL'], capAdd: ['NET_RAW', 'SYS_ADMIN'] }).keys).to.deep.equal(['cap_add'])
    expect(judge({ capAdd: ['NET_RAW'] }).keys, 'other engines do not give it').to.deep.equal(['cap_add'])
  })

  for (const driver of ['syslog', 'gelf', 'fluentd', 'awslogs', 'splunk', 'gcplogs', 'example/plugin:1', ''])
    it(`G23 refuses the log driver "${driver}", which reaches other machines or sockets, unless the policy lists it`, () => {
      expect(judge({ logging: { driver, options: {} } }).keys).to.deep.equal(['logging'])
      expect(judge({ logging: { driver, options: {} } }, { logDrivers: [driver] }).keys).to.deep.equal([])
    })

  it('G23 asks whether another log driver was meant', () => {
    expect(judge({ logging: { driver: 'jsonfile', options: {} } }).reasons).to.deep.equal([
      'logging sends its output to the log driver "jsonfile" (did you mean "json-file"?); the operator allows that by "policy: {logDrivers: [json-file, local, none, journald, jsonfile]}" in tallyman.yaml',
    ])
  })

  for (const driver of ['json-file', 'local', 'none', 'journald'])
    it(`G23 lets the log driver ${driver} through, unless the policy leaves it out`, () => {
      expect(judge({ logging: { driver, options: {} } }).keys).to.deep.equal([])
      expect(judge({ logging: { driver, options: {} } }, { logDrivers: [] }).keys).to.deep.equal(['logging'])
    })

  it("G23 refuses the host's processes and shared memory unless the policy allows them", () => {
    const host = { pid: 'host', ipc: 'host' } as const
    expect(judge(host).reasons).to.deep.equal([
      'pid sees the processes of the host; the operator allows that by "policy: {hostPid: true}" in tallyman.yaml',
      'ipc sees the shared memory of the host; the operator allows that by "policy: {hostIpc: true}" in tallyman.yaml',
    ])
    expect(judge(host, { hostPid: true, hostIpc: true }).keys).to.deep.equal([])
  })

  it('G23 lets ports be published, but for those that the operator keeps for himself', () => {
    const ports = [
      { target: 80, published: 80, hostIp: '127.0.0.1', protocol: 'tcp' },
      { target: 443, published: 8443, protocol: 'tcp' },
      { target: 53, hostIp: '::', protocol: 'udp' },
    ] as const
    expect(judge({ ports }).keys).to.deep.equal([])
    expect(judge({ ports }, { ports: { privileged: false, anyAddress: false } }).reasons).to.deep.equal([
      'ports publishes host port 80, which is below 1024; the operator allows that by "policy: {ports: {privileged: true}}" in tallyman.yaml',
      'ports publishes port 443 on all addresses of the host; the operator allows that by "policy: {ports: {anyAddress: true}}" in tallyman.yaml',
      'ports publishes port 53 on all addresses of the host; the operator allows that by "policy: {ports: {anyAddress: true}}" in tallyman.yaml',
    ])
  })

  it('G23 allows what the policy lists', () => {
    const { keys } = judge(
      {
        privileged: true,
        capAdd: ['NET_ADMIN'],
        devices: [{ host: '/dev/snd/card0', container: '/dev/snd/card0', permissions: 'rw' }],
        securityOpt: ['apparmor=unconfined'],
        sysctls: { 'vm.max_map_count': '262144' },
        mounts: [{ kind: 'host', source: '/srv/data/shop', path: '/data' }],
      },
      {
        privileged: true,
        capabilities: ['CAP_NET_ADMIN'],
        devices: ['/dev/snd'],
        securityOptions: ['apparmor=unconfined'],
        sysctls: ['vm.max_map_count'],
        hostMounts: ['/srv/data/'],
      },
    )
    expect(keys).to.deep.equal([])
  })

  it('G23 takes allowed directories by whole components', () => {
    const { keys } = judge(
      {
        mounts: [
          { kind: 'host', source: '/srv/data', path: '/a' },
          { kind: 'host', source: '/srv/database', path: '/b' },
          { kind: 'host', source: '/srv/data/../secret', path: '/c' },
        ],
      },
      { hostMounts: ['/srv/data'] },
    )
    expect(keys).to.deep.equal(['mounts', 'mounts'])
  })

  for (const source of [
    '/',
    '/run',
    '/var',
    '/var/run',
    '/run/docker.sock',
    '/var/run/docker.sock',
    '/run/containerd',
    '/run/../run',
  ])
    it(`G23 never hands out the engine's socket: ${source}`, () => {
      const { reasons } = judge({ mounts: [{ kind: 'host', source, path: '/x' }] }, { hostMounts: ['/'] })
      expect(reasons.join()).to.include("holds the engine's socket; that is never allowed")
    })

  for (const text of [
    'pid: container:db',
    'ipc: container:db',
    'ipc: shareable',
    'network_mode: container:db',
    'uts: host',
    'userns_mode: host',
    'cgroup: host',
    'cgroup_parent: /',
    'volumes_from: [db]',
    'runtime: other',
  ])
    it(`G23 has no word for the namespaces of another container: ${text}`, () => {
      const web = `name: shop\nservices: [{name: web, containers: [{name: web, image: web, ${text}}]}]`
      const document = parseYaml('shop.yaml', web)
      expect(checkSchema('application', document)).to.have.lengthOf(1)
    })

  describe('volumes', () => {
    const violationOf = (...asked: Parameters<typeof volumeViolation>) => volumeViolation(...asked)?.reason
    const volume = (driverOptions: Record<string, string>) => ({
      name: 'v',
      application: 'shop',
      driverOptions,
    })

    it("G23 allows the engine's own volumes and file systems that are not the host's", () => {
      expect(violationOf({ name: 'v', application: 'shop' }, strictPolicy)).to.equal(undefined)
      expect(violationOf(volume({ type: 'tmpfs', device: 'tmpfs', o: 'size=64m' }), strictPolicy)).to.equal(
        undefined,
      )
      expect(violationOf(volume({ size: '10g' }), strictPolicy)).to.equal(undefined)
    })

    const shares: readonly (readonly [Record<string, string>, string])[] = [
      [{ type: 'nfs', device: ':/x', o: 'addr=10.0.0.1,rw' }, '10.0.0.1'],
      [{ type: 'nfs4', device: 'files.example.com:/x', o: 'rw,addr=10.0.0.9' }, 'files.example.com'],
      [{ type: 'nfs', device: ':/x', o: 'addr=10.0.0.9,addr=10.0.0.1' }, '10.0.0.1'],
      [{ type: 'nfs', device: ':/x', o: 'addr=10.0.0.9,mountaddr=10.0.0.1' }, '10.0.0.1'],
      [{ type: 'nfs', device: ':/x', o: 'addr=FE80:0::1' }, 'fe80::1'],
      [{ type: 'cifs', device: '//Files/x', o: 'username=u' }, 'files'],
      [{ type: 'cifs', device: String.raw`\\10.0.0.9\x`, o: 'ip=10.0.0.1' }, '10.0.0.1'],
      [{ type: 'smb3', device: '//10.0.0.9/x', o: 'addr=10.0.0.1' }, '10.0.0.1'],
    ]
    for (const [options, server] of shares)
      it(`G23 refuses a share of a server that the policy does not list: ${JSON.stringify(options)}`, () => {
        const others = { ...strictPolicy, remoteVolumes: ['10.0.0.9'] }
        expect(violationOf(volume(options), others)).to.equal(
          `mounts a share of another machine, ${server}; the operator allows that by "policy: {remoteVolumes: [${server}]}" in tallyman.yaml`,
        )
        const all = { ...strictPolicy, remoteVolumes: ['10.0.0.9', server.toUpperCase()] }
        expect(violationOf(volume(options), all)).to.equal(undefined)
        expect(violationOf(volume(options), { ...strictPolicy, remoteVolumes: ['*'] })).to.equal(undefined)
      })

    const veiled: readonly Record<string, string>[] = [
      { type: 'nfs', device: ':/x', o: 'rw' },
      { type: 'NFS', device: ':/x', o: 'addr=10.0.0.9' },
      { type: 'cifs', device: '//10.0.0.9/x', o: 'source=//10.0.0.1/x' },
      { type: 'cifs', device: '//10.0.0.9/x', o: 'sep=;;addr=10.0.0.1' },
      { type: 'nfs', device: ':/x', o: 'addr=10.0.0.9,remount' },
      { type: '9p', device: '/run/docker.sock', o: 'trans=unix' },
      { type: 'ceph', device: '10.0.0.9:/', o: 'name=admin' },
    ]
    for (const options of veiled)
      it(`G23 refuses what hides where it leads, whatever the policy says: ${JSON.stringify(options)}`, () => {
        const all = { ...strictPolicy, remoteVolumes: ['*'], hostMounts: ['/'] }
        expect(violationOf(volume(options), all)).to.include('which is never allowed')
      })

    const refused: readonly Record<string, string>[] = [
      { type: 'none', device: '/etc', o: 'bind' },
      { type: 'tmpfs', device: '/etc', o: 'size=1m,bind' },
      { type: 'nfs', device: '/etc', o: 'rbind' },
      { type: 'overlay', device: 'overlay', o: 'lowerdir=/,upperdir=/tmp/u,workdir=/tmp/w' },
      { type: 'ext4', device: '/dev/sda1' },
      { type: 'proc', device: 'proc' },
      { device: '/etc' },
    ]
    for (const options of refused)
      it(`G23 refuses a host mount by the back door: ${JSON.stringify(options)}`, () => {
        expect(violationOf(volume(options), strictPolicy)).to.include('of the host by its driver_opts')
      })

    it('G23 allows a bind of a directory that the policy lists, but not of the socket', () => {
      const policy = { ...strictPolicy, hostMounts: ['/srv', '/var/run'] }
      expect(violationOf(volume({ type: 'none', device: '/srv/a', o: 'bind' }), policy)).to.equal(undefined)
      expect(violationOf(volume({ type: 'none', device: '/var/run', o: 'bind' }), policy)).to.include(
        "holds the engine's socket; that is never allowed",
      )
    })

    it('G23 refuses a bind that climbs: a link in front of it would have it climb from somewhere else', () => {
      const climbing = volume({ type: 'none', device: '/srv/link/../data', o: 'bind' })
      expect(violationOf(climbing, { ...strictPolicy, hostMounts: ['/srv'] })).to.equal(
        'mounts "/srv/link/../data" of the host by its driver_opts, which climbs with ".."',
      )
    })

    it('C20 G23 looks for links out of the allowed directory before a volume binds something below it', () => {
      const { instance, problems } = service(
        'mounts: [{volume-name: v, mount-path: /v}, {volume-name: w, mount-path: /w}]',
        `volumes:
  - {name: v, persistent-volume: {driver_opts: {type: none, device: /srv/data/./in/, o: bind}}}
  - {name: w, persistent-volume: {driver_opts: {type: none, device: /srv/data, o: "rw,rbind"}}}`,
        { policy: { hostMounts: ['/srv', '/srv/data'] } },
      )
      expect(problems).to.deep.equal([])
      const [container] = instance?.containers ?? []
      expect(
        checkSteps(container === undefined ? [] : [container], instance?.volumes ?? [], 'shop/web'),
      ).to.deep.equal([
        ...[
          { volume: 'prod.shop.v', path: '/srv/data/in' },
          { volume: 'prod.shop.w', path: '/srv/data' },
        ].map(bound => ({
          ...{ do: 'check-host-path', ...bound, image: container?.image },
          ...{ within: '/srv/data', allowed: ['/srv', '/srv/data'] },
        })),
      ])
    })

    it('G23 refuses other volume drivers', () => {
      expect(
        violationOf({ name: 'v', application: 'shop', driver: 'local-persist' }, strictPolicy),
      ).to.include('uses the volume driver "local-persist"')
    })

    it('G23 allows a driver that the operator names', () => {
      const volume = { name: 'v', application: 'shop', driver: 'rclone', driverOptions: { type: 'sftp' } }
      expect(violationOf(volume, { ...strictPolicy, volumeDrivers: ['rclone'] })).to.equal(undefined)
    })
  })
})

function judge(fields: Partial<Container>, allowed: Partial<Policy> = {}) {
  const container: Container = {
    name: 'web',
    image: { reference: 'docker.io/library/web:1', pin: { state: 'unknown', reason: 'not resolved yet' } },
    restart: { name: 'no' },
    stopGraceMs: 10_000,
    ...fields,
  }
  const found = violations(container, { ...strictPolicy, ...allowed })
  return { keys: found.map(({ key }) => key), reasons: found.map(({ key, reason }) => `${key} ${reason}`) }
}
