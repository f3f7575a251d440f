import { expect } from 'chai'
import { containerConfig } from '../../../../../lib/docker/container/config/container-config.ts'
import type { ContainerPlace, Provenance } from '../../../../../lib/plan/step/container-place.ts'
import type { Container } from '../../../../../lib/state/application/container/container.ts'
import { Secret } from '../../../../../lib/state/secret/secret.ts'
import { identity } from '../../../../support/builders/builders.ts'

const digest = `sha256:${'b'.repeat(64)}`

const placement: ContainerPlace = {
  application: 'shop',
  service: 'web',
  instance: 2,
  version: '1.4.0',
  fingerprint: 'v1:0123abcd',
  role: 'app',
  network: { name: 'prod' },
  attachments: [],
  aliases: ['web'],
  instanceName: 'prod.web.2.0123abcd',
}

const provenance: Provenance = { ...identity('prod'), commit: 'c0ffee' }

const plain: Container = {
  name: 'web',
  image: { reference: 'registry.example.com/team/web:1.4.0', pin: { state: 'pinned', digest } },
  restart: { name: 'unless-stopped' },
  stopGraceMs: 10_000,
}

const nothing = { labels: {}, variables: [] }
const config = (more: Partial<Container>) =>
  containerConfig({ ...plain, ...more }, placement, provenance, nothing)
const hostConfig = (more: Partial<Container>) => config(more)['HostConfig']

describe('containerConfig', () => {
  it('G2 sets what the specification says and nothing else', () => {
    expect(config({})).to.deep.equal({
      Image: `registry.example.com/team/web@${digest}`,
      Labels: {
        'tallyman.environment': 'prod',
        'tallyman.application': 'shop',
        'tallyman.service': 'web',
        'tallyman.instance': '2',
        'tallyman.container': 'web',
        'tallyman.role': 'app',
        'tallyman.version': '1.4.0',
        'tallyman.fingerprint': 'v1:0123abcd',
        'tallyman.image': 'registry.example.com/team/web:1.4.0',
        'tallyman.digest': digest,
        'tallyman.commit': 'c0ffee',
        'tallyman.source': 'ops/manifests',
        'tallyman.directory': 'environments/prod',
      },
      StopTimeout: 10,
      HostConfig: { NetworkMode: 'prod', RestartPolicy: { Name: 'unless-stopped' } },
      NetworkingConfig: { EndpointsConfig: { prod: { Aliases: ['web'] } } },
    })
  })

  it('D17 writes on it what the journal counted before', () => {
    const counted = { ...provenance, record: 'f00d 7 edge-1' }
    const { Labels } = Object(containerConfig(plain, placement, counted, nothing))
    expect(Labels).to.deep.equal({ ...Object(config({})).Labels, 'tallyman.record': 'f00d 7 edge-1' })
  })

  it('hands on everything about the process', () => {
    const set = config({
      entrypoint: ['/bin/sh', '-c'],
      command: ['exec serve'],
      env: { PORT: '80', EMPTY: '', A: '1=2' },
      user: '1000:1000',
      workingDir: '/srv',
      hostname: 'web-2',
      stopSignal: 'SIGQUIT',
      stopGraceMs: 1_500,
      tty: true,
      stdinOpen: true,
    })
    expect(set).to.include({
      Tty: true,
      OpenStdin: true,
      User: '1000:1000',
      WorkingDir: '/srv',
      Hostname: 'web-2',
      StopSignal: 'SIGQUIT',
      StopTimeout: 2,
    })
    expect(set['Entrypoint']).to.deep.equal(['/bin/sh', '-c'])
    expect(set['Cmd']).to.deep.equal(['exec serve'])
    expect(set['Env']).to.deep.equal(['A=1=2', 'EMPTY=', 'PORT=80'])
  })

  it('publishes ports, and lets the engine choose where none is named', () => {
    const ports = [
      { target: 80, published: 8080, protocol: 'tcp' },
      { target: 80, published: 8081, hostIp: '127.0.0.1', protocol: 'tcp' },
      { target: 53, protocol: 'udp' },
    ] as const
    expect(config({ ports })['ExposedPorts']).to.deep.equal({ '80/tcp': {}, '53/udp': {} })
    expect(hostConfig({ ports })).to.have.deep.property('PortBindings', {
      '80/tcp': [
        { HostIp: '', HostPort: '8080' },
        { HostIp: '127.0.0.1', HostPort: '8081' },
      ],
      '53/udp': [{ HostIp: '', HostPort: '' }],
    })
  })

  it('C20 mounts by Mounts and never by Binds, which would create what is missing', () => {
    const set = hostConfig({
      mounts: [
        { kind: 'volume', volume: 'prod.shop.data', path: '/data', exclusive: false },
        { kind: 'volume', volume: 'prod.shop.conf', path: '/conf', readOnly: true, exclusive: false },
        { kind: 'ephemeral', path: '/scratch' },
        { kind: 'tmpfs', path: '/run', sizeBytes: 65_536, mode: 0o1777 },
        { kind: 'tmpfs', path: '/tmp' },
        { kind: 'host', source: '/srv/data', path: '/srv', readOnly: true },
      ],
    })
    const VolumeOptions = {
      Labels: {
        'tallyman.environment': 'prod',
        'tallyman.source': 'ops/manifests',
        'tallyman.directory': 'environments/prod',
        'tallyman.application': 'shop',
      },
    }
    expect(set).not.to.have.property('Binds')
    expect(set).to.have.deep.property('Mounts', [
      { Type: 'volume', Source: 'prod.shop.data', Target: '/data', VolumeOptions },
      { Type: 'volume', Source: 'prod.shop.conf', Target: '/conf', ReadOnly: true, VolumeOptions },
      {
        Type: 'volume',
        Target: '/scratch',
        VolumeOptions: { Labels: { ...VolumeOptions.Labels, 'tallyman.ephemeral': 'prod.web.2.0123abcd' } },
      },
      { Type: 'tmpfs', Target: '/run', TmpfsOptions: { SizeBytes: 65_536, Mode: 1023 } },
      { Type: 'tmpfs', Target: '/tmp', TmpfsOptions: {} },
      { Type: 'bind', Source: '/srv/data', Target: '/srv', ReadOnly: true },
    ])
  })

  it('tells whose an in-memory directory is, and that programs in it are run, where older engines take it', () => {
    const mounts = [
      { kind: 'tmpfs', path: '/a', sizeBytes: 65_536, mode: 0o750, uid: 1000, gid: 50, exec: true },
      { kind: 'tmpfs', path: '/b', uid: 0 },
      { kind: 'tmpfs', path: '/c', exec: true },
      { kind: 'tmpfs', path: '/d' },
    ] as const
    expect(hostConfig({ mounts })).to.deep.include({
      Tmpfs: { '/a': 'size=65536,mode=750,uid=1000,gid=50,exec', '/b': 'uid=0', '/c': 'exec' },
      Mounts: [{ Type: 'tmpfs', Target: '/d', TmpfsOptions: {} }],
    })
  })

  it('leaves the choice of the log driver to the engine, with the options that are given', () => {
    expect(hostConfig({ logging: { options: { 'max-size': '10m' } } })).to.deep.include({
      LogConfig: { Type: '', Config: { 'max-size': '10m' } },
    })
  })

  it('states health checks in nanoseconds', () => {
    const healthcheck = {
      kind: 'command',
      test: ['CMD-SHELL', 'wget -q localhost'],
      intervalMs: 30_000,
      timeoutMs: 500,
      startPeriodMs: 60_000,
      startIntervalMs: 1_000,
      retries: 3,
    } as const
    expect(config({ healthcheck })['Healthcheck']).to.deep.equal({
      Test: ['CMD-SHELL', 'wget -q localhost'],
      Interval: 30_000_000_000,
      Timeout: 500_000_000,
      StartPeriod: 60_000_000_000,
      StartInterval: 1_000_000_000,
      Retries: 3,
    })
  })

  it("keeps the image's own check where only its rhythm is set", () => {
    expect(config({ healthcheck: { kind: 'command', intervalMs: 1_000 } })['Healthcheck']).to.deep.equal({
      Interval: 1_000_000_000,
    })
  })

  it("turns the image's own check off", () => {
    expect(config({ healthcheck: { kind: 'none' } })['Healthcheck']).to.deep.equal({ Test: ['NONE'] })
  })

  it('hands on limits, rights and the log driver', () => {
    expect(
      hostConfig({
        restart: { name: 'on-failure', maxRetries: 3 },
        init: true,
        readOnly: true,
        privileged: false,
        capAdd: ['NET_ADMIN'],
        capDrop: ['ALL'],
        securityOpt: ['no-new-privileges'],
        devices: [{ host: '/dev/ttyS0', container: '/dev/tty', permissions: 'rw' }],
        sysctls: { 'net.core.somaxconn': '1024' },
        ulimits: [{ name: 'nofile', soft: 1024, hard: 2048 }],
        extraHosts: ['db:10.0.0.5'],
        dns: ['10.0.0.53'],
        dnsOptions: ['ndots:1'],
        shmSizeBytes: 67_108_864,
        groupAdd: ['44', 'video'],
        dnsSearch: ['example.com'],
        memoryBytes: 268_435_456,
        memoryReservationBytes: 134_217_728,
        memorySwapBytes: -1,
        cpuset: '0-1',
        cpuShares: 512,
        oomScoreAdj: 500,
        nanoCpus: 1_500_000_000,
        pidsLimit: 100,
        logging: { driver: 'json-file', options: { 'max-size': '10m' } },
      }),
    ).to.deep.equal({
      NetworkMode: 'prod',
      RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
      Init: true,
      ReadonlyRootfs: true,
      Privileged: false,
      CapAdd: ['NET_ADMIN'],
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Devices: [{ PathOnHost: '/dev/ttyS0', PathInContainer: '/dev/tty', CgroupPermissions: 'rw' }],
      Sysctls: { 'net.core.somaxconn': '1024' },
      Ulimits: [{ Name: 'nofile', Soft: 1024, Hard: 2048 }],
      ExtraHosts: ['db:10.0.0.5'],
      Dns: ['10.0.0.53'],
      DnsOptions: ['ndots:1'],
      ShmSize: 67_108_864,
      GroupAdd: ['44', 'video'],
      DnsSearch: ['example.com'],
      Memory: 268_435_456,
      MemoryReservation: 134_217_728,
      MemorySwap: -1,
      CpusetCpus: '0-1',
      CpuShares: 512,
      OomScoreAdj: 500,
      NanoCpus: 1_500_000_000,
      PidsLimit: 100,
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m' } },
    })
  })

  it("G10 keeps the user's labels and lets none of them take the place of ours", () => {
    const labels = { team: 'shop', 'tallyman.environment': 'elsewhere' }
    expect(config({ labels })['Labels']).to.include({ team: 'shop', 'tallyman.environment': 'prod' })
  })

  it('E26 runs an unverified image by its id, with an empty digest', () => {
    const image = {
      reference: 'docker.io/library/local:dev',
      pin: { state: 'unverified', imageId: 'sha256:cafe' },
    } as const
    expect(config({ image })).to.have.property('Image', 'sha256:cafe')
    expect(config({ image })['Labels']).to.include({
      'tallyman.image': 'docker.io/library/local:dev',
      'tallyman.digest': '',
    })
  })

  it('C50 puts a member into the namespaces of its sandbox, and on no network of its own', () => {
    const inside = { sandbox: 'prod.web.2.0123abcd', processes: true }
    const member = containerConfig(plain, { ...placement, joins: inside }, provenance, nothing)
    expect(member).not.to.have.property('NetworkingConfig')
    expect(member['HostConfig']).to.deep.equal({
      NetworkMode: 'container:prod.web.2.0123abcd',
      IpcMode: 'container:prod.web.2.0123abcd',
      PidMode: 'container:prod.web.2.0123abcd',
      RestartPolicy: { Name: 'unless-stopped' },
    })
    const apart = containerConfig(
      plain,
      { ...placement, joins: { ...inside, processes: false } },
      provenance,
      nothing,
    )
    expect(apart['HostConfig']).to.include({ IpcMode: 'container:prod.web.2.0123abcd' })
    expect(apart['HostConfig']).not.to.have.property('PidMode')
  })

  it('C50 lets a sandbox share its IPC, and marks one whose members keep their processes to themselves', () => {
    const sandbox = containerConfig(plain, { ...placement, role: 'sandbox' }, provenance, nothing)
    expect(sandbox['HostConfig']).to.include({ NetworkMode: 'prod', IpcMode: 'shareable' })
    expect(sandbox['Labels']).to.include({ 'tallyman.role': 'sandbox' })
    expect(sandbox['Labels']).not.to.have.property('tallyman.processes')
    const apart = containerConfig(
      plain,
      { ...placement, role: 'sandbox', ownProcesses: true },
      provenance,
      nothing,
    )
    expect(apart['Labels']).to.include({ 'tallyman.processes': 'own' })
  })

  it('G23 shares what is of the host only where it is asked for', () => {
    const network = { name: 'host', mode: 'host' } as const
    const hosted = containerConfig(
      { ...plain, pid: 'host', ipc: 'host' },
      { ...placement, network },
      provenance,
      nothing,
    )
    expect(hosted['HostConfig']).to.include({ NetworkMode: 'host', PidMode: 'host', IpcMode: 'host' })
    expect(hosted).not.to.have.property('NetworkingConfig')
  })

  it('C50 A48 names an ephemeral volume after its instance, leaves what the image has there out, and labels what has files so that it is found', () => {
    const Labels = {
      'tallyman.environment': 'prod',
      'tallyman.source': 'ops/manifests',
      'tallyman.directory': 'environments/prod',
      'tallyman.application': 'shop',
      'tallyman.ephemeral': 'prod.web.2.0123abcd',
    }
    const mounts = [
      { kind: 'ephemeral', path: '/cache', name: 'cache' },
      { kind: 'files', path: '/etc/app' },
    ] as const
    expect(hostConfig({ mounts })).to.have.deep.property('Mounts', [
      {
        Type: 'volume',
        Source: 'prod.web.2.0123abcd.cache',
        Target: '/cache',
        VolumeOptions: { NoCopy: true, Labels },
      },
      { Type: 'volume', Target: '/etc/app', VolumeOptions: { NoCopy: true, Labels } },
    ])
  })

  it('G16 gives the container its secrets', () => {
    expect(config({ env: { PASSWORD: new Secret('hunter22', 'mark') } })['Env']).to.deep.equal([
      'PASSWORD=hunter22',
    ])
  })

  it('has no version label where there is no version', () => {
    const { version: _, ...unversioned } = placement
    expect(containerConfig(plain, unversioned, provenance, nothing)['Labels']).not.to.have.property(
      'tallyman.version',
    )
  })
})
