import { expect } from 'chai'
import { type Policy, strictPolicy, violations, volumeViolation } from '../../../lib/spec/policy.ts'
import type { Container } from '../../../lib/state/container.ts'

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
      mounts: [{ kind: 'host', source: '/etc', path: '/etc' }],
    })
    expect(reasons).to.deep.equal([
      'privileged is root on the host; the operator allows that by "policy: {privileged: true}" in tallyman.yaml',
      'cap_add adds the capability NET_ADMIN; the operator allows that by "policy: {capabilities: [NET_ADMIN]}" in tallyman.yaml',
      'cap_add adds the capability SYS_TIME; the operator allows that by "policy: {capabilities: [SYS_TIME]}" in tallyman.yaml',
      'devices hands out the device /dev/mem; the operator allows that by "policy: {devices: [/dev/mem]}" in tallyman.yaml',
      'security_opt sets apparmor=unconfined; the operator allows that by "policy: {securityOptions: ["apparmor=unconfined"]}" in tallyman.yaml',
      'sysctls sets the host\'s kernel.core_pattern; the operator allows that by "policy: {sysctls: [kernel.core_pattern]}" in tallyman.yaml',
      'mounts mounts /etc of the host; the operator allows that by "policy: {hostMounts: [/etc]}" in tallyman.yaml',
    ])
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

  describe('volumes', () => {
    const volume = (driverOptions: Record<string, string>) => ({
      name: 'v',
      application: 'shop',
      driverOptions,
    })

    it("G23 allows the engine's own volumes and file systems that are not the host's", () => {
      expect(volumeViolation({ name: 'v', application: 'shop' }, strictPolicy)).to.equal(undefined)
      expect(
        volumeViolation(volume({ type: 'tmpfs', device: 'tmpfs', o: 'size=64m' }), strictPolicy),
      ).to.equal(undefined)
      expect(
        volumeViolation(volume({ type: 'nfs', device: ':/x', o: 'addr=10.0.0.1,rw' }), strictPolicy),
      ).to.equal(undefined)
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
        expect(volumeViolation(volume(options), strictPolicy)).to.include('of the host by its driver_opts')
      })

    it('G23 allows a bind of a directory that the policy lists, but not of the socket', () => {
      const policy = { ...strictPolicy, hostMounts: ['/srv', '/var/run'] }
      expect(volumeViolation(volume({ type: 'none', device: '/srv/a', o: 'bind' }), policy)).to.equal(
        undefined,
      )
      expect(volumeViolation(volume({ type: 'none', device: '/var/run', o: 'bind' }), policy)).to.be.a(
        'string',
      )
    })

    it('G23 refuses other volume drivers', () => {
      expect(
        volumeViolation({ name: 'v', application: 'shop', driver: 'local-persist' }, strictPolicy),
      ).to.include('uses the volume driver "local-persist"')
    })

    it('G23 allows a driver that the operator names', () => {
      const volume = { name: 'v', application: 'shop', driver: 'rclone', driverOptions: { type: 'sftp' } }
      expect(volumeViolation(volume, { ...strictPolicy, volumeDrivers: ['rclone'] })).to.equal(undefined)
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
