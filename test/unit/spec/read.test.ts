import { expect } from 'chai'
import { container, service } from './built.ts'

describe('containers in the grammar of Compose', () => {
  const read: readonly (readonly [string, string, object])[] = [
    ['nothing but the defaults', '', {}],
    ['a command line', "command: sh -c 'exec web'", { command: ['sh', '-c', 'exec web'] }],
    ['cmd as a list', 'cmd: [web, --port, "80"]', { command: ['web', '--port', '80'] }],
    ['an entrypoint', 'entrypoint: /init web', { entrypoint: ['/init', 'web'] }],
    ['an empty entrypoint', 'entrypoint: []\ncmd: web', { entrypoint: [''], command: ['web'] }],
    [
      'env as a map',
      'env: {PORT: 80, DEBUG: true, NAME: "1.10"}',
      { env: { PORT: '80', DEBUG: 'true', NAME: '1.10' } },
    ],
    ['environment as a list', 'environment: [A=1, "B=x=y", C=]', { env: { A: '1', B: 'x=y', C: '' } }],
    ['env beside environment', 'env: {A: a}\nenvironment: {B: b}', { env: { A: 'a', B: 'b' } }],
    ['an empty map as nothing', 'env: {}\nlabels: []\nports: []\nmounts: []\ncap_drop: []', {}],
    [
      'a key that is a trap',
      'env: {__proto__: x, constructor: y}',
      { env: JSON.parse('{"__proto__":"x","constructor":"y"}') },
    ],
    ['a numeric user', 'user: 1000', { user: '1000' }],
    ['a user with a group', 'user: "1000:www-data"', { user: '1000:www-data' }],
    [
      'working directory and host name',
      'working_dir: /srv/\nhostname: shop',
      { workingDir: '/srv', hostname: 'shop' },
    ],
    [
      'ports in one order',
      'ports: ["8443:443", 80, {target: 53, published: "5353", protocol: udp, host_ip: 127.0.0.1}, "80"]',
      {
        ports: [
          { target: 53, published: 5353, hostIp: '127.0.0.1', protocol: 'udp' },
          { target: 80, protocol: 'tcp' },
          { target: 443, published: 8443, protocol: 'tcp' },
        ],
      },
    ],
    [
      'a health check as a line',
      'healthcheck: {test: wget -q localhost, interval: 1m30s, timeout: 2s, start_period: 500ms, retries: 3}',
      {
        healthcheck: {
          kind: 'command',
          test: ['CMD-SHELL', 'wget -q localhost'],
          intervalMs: 90_000,
          timeoutMs: 2_000,
          startPeriodMs: 500,
          retries: 3,
        },
      },
    ],
    [
      'a health check as a list',
      'healthcheck: {test: [CMD, ok]}',
      { healthcheck: { kind: 'command', test: ['CMD', 'ok'] } },
    ],
    [
      'only the pace of a health check',
      'healthcheck: {interval: 5s}',
      { healthcheck: { kind: 'command', intervalMs: 5_000 } },
    ],
    ["zeros as the image's own", 'healthcheck: {interval: 0s, retries: 0}', {}],
    ['no health check', 'healthcheck: {disable: true}', { healthcheck: { kind: 'none' } }],
    ['NONE', 'healthcheck: {test: [NONE]}', { healthcheck: { kind: 'none' } }],
    ['a restart policy', 'restart: on-failure:3', { restart: { name: 'on-failure', maxRetries: 3 } }],
    ['the plain word no', 'restart: no', { restart: { name: 'no' } }],
    [
      'how to stop',
      'stop_signal: quit\nstop_grace_period: 1m',
      { stopSignal: 'SIGQUIT', stopGraceMs: 60_000 },
    ],
    [
      'limits',
      'mem_limit: 64m\ncpus: "0.5"\npids_limit: 100\nshm_size: 1g\nulimits: {nproc: 10, nofile: {soft: 20, hard: 40}}',
      {
        memoryBytes: 67_108_864,
        nanoCpus: 500_000_000,
        pidsLimit: 100,
        shmSizeBytes: 1_073_741_824,
        ulimits: [
          { name: 'nofile', soft: 20, hard: 40 },
          { name: 'nproc', soft: 10, hard: 10 },
        ],
      },
    ],
    [
      'extra hosts as a list',
      'extra_hosts: ["b:10.0.0.2", "a=10.0.0.1"]',
      { extraHosts: ['a:10.0.0.1', 'b:10.0.0.2'] },
    ],
    [
      'extra hosts as a map',
      'extra_hosts: {b: 10.0.0.2, a: 10.0.0.1}',
      { extraHosts: ['a:10.0.0.1', 'b:10.0.0.2'] },
    ],
    ['one name server', 'dns: 10.0.0.53', { dns: ['10.0.0.53'] }],
    ['name servers in their order', 'dns: [10.0.0.54, 10.0.0.53]', { dns: ['10.0.0.54', '10.0.0.53'] }],
    [
      'one in-memory directory',
      'tmpfs: /run:size=1m',
      { mounts: [{ kind: 'tmpfs', path: '/run', sizeBytes: 1_048_576 }] },
    ],
    [
      'two in-memory directories',
      'tmpfs: [/tmp, /run]',
      {
        mounts: [
          { kind: 'tmpfs', path: '/run' },
          { kind: 'tmpfs', path: '/tmp' },
        ],
      },
    ],
    [
      'logging',
      'logging: {driver: json-file, options: {max-file: 3, max-size: 10m}}',
      { logging: { driver: 'json-file', options: { 'max-file': '3', 'max-size': '10m' } } },
    ],
    ['labels of the user', 'labels: {com.example.team: shop}', { labels: { 'com.example.team': 'shop' } }],
    ['safe sysctls', 'sysctls: [net.core.somaxconn=1024]', { sysctls: { 'net.core.somaxconn': '1024' } }],
    ['fewer capabilities', 'cap_drop: [CAP_NET_RAW, MKNOD, NET_RAW]', { capDrop: ['MKNOD', 'NET_RAW'] }],
    ['no new privileges', 'security_opt: [no-new-privileges]', { securityOpt: ['no-new-privileges:true'] }],
    ['flags', 'init: true\nread_only: true\nprivileged: false', { init: true, readOnly: true }],
  ]
  for (const [what, lines, fields] of read)
    it(`reads ${what}`, () => {
      expect(container(lines)).to.deep.equal(fields)
    })

  const refused: readonly (readonly [string, string, string])[] = [
    [
      'a buffer for logs that takes the memory of the engine',
      'logging: {driver: json-file, options: {mode: non-blocking, max-buffer-size: 900g}}',
      'logging/options/max-buffer-size "900g" is more than 64m, the most that a log may take of the engine\'s own memory',
    ],
    ['two commands', 'cmd: a\ncommand: b', 'command says the same as "cmd"; keep one of them'],
    ['an empty command', 'command: ""', "command is empty; leave it out to have the image's own"],
    ['an empty entrypoint alone', 'entrypoint: ""', 'entrypoint is empty, and there is no command either'],
    ['an open quote', 'command: "echo \'a"', 'command has a single quote that is never closed'],
    ['a name without a value', 'environment: [HOME]', 'environment/0 "HOME" has no value; write NAME=VALUE'],
    ['a name with a blank', 'env: {"A B": 1}', 'env has "A B", which is no name of a variable'],
    ['a name with a blank in a list', 'env: ["A B=1"]', 'env has "A B", which is no name of a variable'],
    [
      'a secret as a name with a blank',
      'env: {"A B": {secret: x}}',
      'env has "A B", which is no name of a variable',
    ],
    ['a name twice', 'env: [A=1, A=2]', 'env/1 gives A a second time'],
    ['a name in both maps', 'env: {A: a}\nenvironment: {A: b}', 'environment sets A, which "env" sets too'],
    [
      'A46 an unknown variable',
      'env: {URL: "http://${HOST}/"}',
      'env URL names the variable "HOST", and the service has no variables; for a dollar as it stands write $$, as in $${HOST}',
    ],
    ['a path as a user', 'user: /etc/passwd', 'user "/etc/passwd" is no user; write for example 1000:1000'],
    ['a relative directory', 'working_dir: srv', 'working_dir "srv" is no absolute path'],
    [
      'a port that is none',
      'ports: ["80", "x"]',
      'ports/1 "x" is no port; write for example 80, 8080:80 or 127.0.0.1:8080:80/udp',
    ],
    ['a host port twice', 'ports: ["80:80", "80:81"]', 'ports/1 claims host port 80 a second time'],
    [
      'a host port on all addresses and on one',
      'ports: ["80:80", "127.0.0.1:80:81"]',
      'ports/1 claims host port 127.0.0.1:80, and host port 80 is claimed already',
    ],
    [
      'a host address that is none',
      'ports: [{target: 80, host_ip: localhost}]',
      'ports/0 "localhost" is no IP address',
    ],
    [
      'a health check without a kind',
      'healthcheck: {test: [wget]}',
      'healthcheck/test has to begin with NONE, CMD or CMD-SHELL',
    ],
    [
      'a health check without a command',
      'healthcheck: {test: [CMD]}',
      'healthcheck/test has no command after CMD',
    ],
    [
      'a health check of two lines',
      'healthcheck: {test: [CMD-SHELL, a, b]}',
      'healthcheck/test needs exactly one line after CMD-SHELL',
    ],
    [
      'a health check on and off',
      'healthcheck: {disable: true, test: a}',
      'healthcheck/test stands beside "disable: true"; keep one of them',
    ],
    [
      'a pace that is none',
      'healthcheck: {interval: 1e308s}',
      'healthcheck/interval "1e308s" is no duration; write for example 90s, 1m30s or 500ms',
    ],
    ['too little memory', 'mem_limit: 1m', 'mem_limit is less than 6m, the least the engine takes'],
    ['no processes', 'pids_limit: 0', 'pids_limit is 0; write -1 for no limit'],
    [
      'a soft limit above the hard one',
      'ulimits: {nofile: {soft: 2, hard: 1}}',
      'ulimits/nofile has a soft limit above the hard one',
    ],
    ['a name server that is none', 'dns: [ns1]', 'dns/0 "ns1" is no IP address'],
    [
      'G10 a label of ours',
      'labels: {tallyman.service: x}',
      'labels sets tallyman.service; labels that begin with tallyman. are not yours',
    ],
    [
      'an unknown volume',
      'mounts: [{volume-name: data, mount-path: /d}]',
      'mounts/0/volume-name "data" is no volume of the service',
    ],
    ['two things at one path', 'tmpfs: [/run, /run/]', 'tmpfs/1 mounts a second thing at /run'],
  ]
  for (const [what, lines, problem] of refused)
    it(`refuses ${what}`, () => {
      expect(container(lines)).to.deep.equal({ problems: [`${problem} (application-invalid)`] })
    })

  it('G2 takes another order of the same things for no difference', () => {
    const one = container(
      'ports: ["81", "80"]\ncap_drop: [B, A]\ndevices: []\nextra_hosts: [b:10.0.0.1, a:10.0.0.1]'.replace(
        '[B, A]',
        '[MKNOD, CHOWN]',
      ),
    )
    const other = container(
      'extra_hosts: [a:10.0.0.1, b:10.0.0.1]\ncap_drop: [CHOWN, MKNOD]\nports: ["80", "81"]',
    )
    expect(one).to.deep.equal(other)
  })

  it('finds all that is wrong at once, each with its line and column', () => {
    const { problems } = service('user: "a b"\ncpus: 0\nenv: {A=B: 1}')
    expect(problems).to.deep.equal([
      'applications/shop.yaml:7:15: /services/0/containers/0/user "a b" is no user; write for example 1000:1000 (application-invalid)',
      'applications/shop.yaml:8:15: /services/0/containers/0/cpus 0 is not a number of CPUs from 0.01 to 1024 (application-invalid)',
      'applications/shop.yaml:9:20: /services/0/containers/0/env/A=B "A=B" is no name (application-invalid)',
    ])
  })
})

describe('volumes of a service', () => {
  const volumes = `volumes:
  - {name: data, persistent-volume: {}}
  - {name: scratch, ephemeral-volume: {size: 1g}}
  - {name: run, tmpfs: {size: 1m, mode: "1777"}}
  - {name: unused, persistent-volume: }`
  const mounts = `mounts:
  - {volume-name: scratch, mount-path: /scratch}
  - {volume-name: run, mount-path: /run}
  - {volume-name: data, mount-path: /data/}`

  it('A45 A48 mounts persistent, ephemeral and in-memory volumes, and names persistent ones by environment and application', () => {
    const { instance, problems } = service(mounts, volumes)
    expect(problems).to.deep.equal([])
    expect(instance?.containers[0].mounts).to.deep.equal([
      { kind: 'volume', volume: 'prod.shop.data', path: '/data', exclusive: true },
      { kind: 'tmpfs', path: '/run', sizeBytes: 1_048_576, mode: 0o1777 },
      { kind: 'ephemeral', path: '/scratch' },
    ])
    expect(instance?.volumes).to.deep.equal([{ name: 'prod.shop.data', application: 'shop' }])
  })

  it('says that the size of an ephemeral volume is not enforced', () => {
    expect(service(mounts, volumes).warnings).to.deep.equal([
      'applications/shop.yaml:6:50: /services/0/volumes/1/ephemeral-volume/size is not enforced by Docker (size-not-enforced)',
    ])
  })

  it('D7 takes a volume for exclusive that one instance writes to, and not when it reads or when there are more', () => {
    const exclusive = (mount: string, more = '') => {
      const { instance } = service(
        `mounts: [{volume-name: data, mount-path: /d${mount}}]`,
        `${more}${volumes}`,
      )
      return instance?.containers[0].mounts?.map(mount => mount.kind === 'volume' && mount.exclusive)
    }
    expect(exclusive('')).to.deep.equal([true])
    expect(exclusive(', read-only: true')).to.deep.equal([false])
    expect(exclusive('', 'replicas: 2\n')).to.deep.equal([false])
  })

  it('hands on driver options', () => {
    const { instance } = service(
      'mounts: [{volume-name: data, mount-path: /d, read-only: true}]',
      'volumes: [{name: data, persistent-volume: {driver: local, driver_opts: {type: nfs, device: ":/x", o: addr=10.0.0.1}}}]',
      { policy: { remoteVolumes: ['10.0.0.1'] } },
    )
    expect(instance?.volumes).to.deep.equal([
      {
        name: 'prod.shop.data',
        application: 'shop',
        driverOptions: { type: 'nfs', device: ':/x', o: 'addr=10.0.0.1' },
      },
    ])
    expect(instance?.containers[0].mounts).to.deep.equal([
      { kind: 'volume', volume: 'prod.shop.data', path: '/d', readOnly: true, exclusive: false },
    ])
  })

  it('G23 mounts a host directory that the policy allows', () => {
    const lines = 'mounts: [{volume-name: in, mount-path: /in}]'
    const more = 'volumes: [{name: in, host: {path: /srv/data/in, read-only: true}}]'
    expect(container(lines, more, { policy: { hostMounts: ['/srv/data'] } })).to.deep.equal({
      mounts: [{ kind: 'host', source: '/srv/data/in', within: '/srv/data', readOnly: true, path: '/in' }],
    })
    expect(container(lines, more)).to.deep.equal({
      problems: [
        'mounts mounts /srv/data/in of the host; the operator allows that by "policy: {hostMounts: [/srv/data/in]}" in tallyman.yaml (policy-violation)',
      ],
    })
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['two kinds at once', '{name: a, tmpfs: {}, persistent-volume: {}}', '0 needs exactly one of'],
    [
      'no kind',
      '{name: a}',
      '0 needs exactly one of persistent-volume, ephemeral-volume, tmpfs, config-map, vault-secret, secret, host',
    ],
    ['one name twice', '{name: a, tmpfs: {}}, {name: a, tmpfs: {}}', '1/name names a second volume "a"'],
    ['a relative host path', '{name: a, host: {path: data}}', '0/host/path "data" is no absolute path'],
    ['a climbing host path', '{name: a, host: {path: /srv/../etc}}', '0/host/path "/srv/../etc" climbs'],
    [
      'a size that is none',
      '{name: a, ephemeral-volume: {size: big}}',
      '0/ephemeral-volume/size "big" is no size',
    ],
    [
      'G23 a host mount by the back door',
      '{name: a, persistent-volume: {driver_opts: {type: none, o: bind, device: /}}}',
      "0/persistent-volume mounts / of the host by its driver_opts, which holds the engine's socket",
    ],
  ]
  for (const [what, volume, problem] of refused)
    it(`refuses ${what}`, () => {
      const { problems } = service('', `volumes: [${volume}]`)
      expect(problems.join()).to.include(`/services/0/volumes/${problem}`)
    })

  it('refuses to mount read-only what only this container could fill', () => {
    const { problems } = service(
      'mounts: [{volume-name: a, mount-path: /a, read-only: true}]',
      'volumes: [{name: a, tmpfs: {}}]',
    )
    expect(problems.join()).to.include('/mounts/0/read-only is for persistent and host volumes')
  })
})
