import { expect } from 'chai'
import { container, service } from './built.ts'

const volumes = `volumes:
  - {name: data, persistent-volume: {}}
  - {name: dev, host: {path: /dev}}
  - {name: conf, config-map: {items: [{name: a.conf, data: x}]}}`
const policy = {
  hostMounts: ['/dev'],
  hostNetwork: true,
  hostIpc: true,
  securityOptions: ['foo=bar', 'systempaths=unconfined', 'seccomp=./profile.json', 'seccomp=unconfined'],
}

describe('values that no engine takes, or that do something else there', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['healthcheck: {test: x, interval: 1ns}', 'healthcheck/interval "1ns" is shorter than 1ms'],
    ['healthcheck: {test: x, timeout: 999us}', 'healthcheck/timeout "999us" is shorter than 1ms'],
    ['healthcheck: {test: x, start_period: .5ms}', 'healthcheck/start_period ".5ms" is shorter than 1ms'],
    ['healthcheck: {test: x, start_interval: 1us}', 'healthcheck/start_interval "1us" is shorter than 1ms'],
    ['stop_grace_period: 1us', 'stop_grace_period "1us" is shorter than 1ms'],
    [
      'stop_signal: SIGSTOP',
      'stop_signal "SIGSTOP" makes a process stand still and never end; write for example SIGTERM',
    ],
    [
      'stop_signal: 19',
      'stop_signal "19" makes a process stand still and never end; write for example SIGTERM',
    ],
    [
      'user: 2147483648',
      'user "2147483648" has a number above 2147483647, the last one that the engine takes',
    ],
    [
      'user: "app:4294967295"',
      'user "app:4294967295" has a number above 2147483647, the last one that the engine takes',
    ],
    [
      'group_add: [2147483648]',
      'group_add/0 "2147483648" has a number above 2147483647, the last one that the engine takes',
    ],
    ['tmpfs: /proc', 'tmpfs is /proc, where the kernel shows what is its own'],
    ['tmpfs: /proc/scsi', 'tmpfs is /proc/scsi, where the kernel shows what is its own'],
    ['tmpfs: [/run, /dev/]', 'tmpfs/1 is /dev, where the engine puts the devices of the container'],
    [
      'mounts: [{volume-name: data, mount-path: /sys}]',
      'mounts/0/mount-path is /sys, where the kernel shows what is its own',
    ],
    [
      'mounts: [{volume-name: data, mount-path: /etc/hosts}]',
      'mounts/0/mount-path is /etc/hosts, which the engine writes anew at every start; "extra_hosts" adds to it',
    ],
    [
      'mounts: [{volume-name: conf, files: [{name: a.conf, mount-path: /etc/resolv.conf}]}]',
      'mounts/0/files/0/mount-path is /etc/resolv.conf, which the engine writes anew at every start; "dns", "dns_search" and "dns_opt" stand in it',
    ],
    [
      'mounts: [{volume-name: conf, files: [{name: a.conf, mount-path: /dev/a.conf}]}]',
      'mounts/0/files/0/mount-path is /dev/a.conf, where the engine puts the devices of the container',
    ],
    [
      'tmpfs: /run\nmounts: [{volume-name: conf, files: [{name: a.conf, mount-path: /run/a.conf}]}]',
      'mounts/0/files/0/mount-path is /run/a.conf, and what is in memory at /run hides it; mount the whole volume with mount-path',
    ],
    [
      'logging: {driver: json-file, options: {max-sice: 1m}}',
      'logging/options/max-sice is no option of the log driver json-file; did you mean "max-size"?',
    ],
    [
      'logging: {driver: journald, options: {max-size: 1m}}',
      'logging/options/max-size is no option of the log driver journald; there are labels, labels-regex, env, env-regex, tag, mode, max-buffer-size, cache-disabled, cache-max-size, cache-max-file, cache-compress',
    ],
    [
      'logging: {driver: local, options: {tags: x}}',
      'logging/options/tags is no option of the log driver local; there are max-size, max-file, compress, mode, max-buffer-size, cache-disabled, cache-max-size, cache-max-file, cache-compress',
    ],
    [
      'logging: {options: {max-size: abc}}',
      'logging/options/max-size "abc" is no size; write for example 512k, 64m or 1.5g',
    ],
    [
      'logging: {driver: local, options: {max-size: 0}}',
      'logging/options/max-size 0 is not between 1 byte and 8 PiB',
    ],
    [
      'logging: {driver: json-file, options: {max-file: 0}}',
      'logging/options/max-file is "0" and not a number of files, of which there is one at least',
    ],
    [
      'logging: {driver: json-file, options: {max-size: 1m, compress: maybe}}',
      'logging/options/compress is "maybe"; there are true and false',
    ],
    [
      'logging: {driver: json-file, options: {max-size: 1m, compress: true}}',
      'logging/options compresses files that are full, of which there are none; set "max-size", and 2 or more for "max-file"',
    ],
    [
      'logging: {driver: local, options: {max-file: 1}}',
      'logging/options keeps one file, and local compresses those before it; set "compress: false", or more of "max-file"',
    ],
    [
      'logging: {driver: journald, options: {mode: nonblocking}}',
      'logging/options/mode is "nonblocking"; there are blocking and non-blocking',
    ],
    [
      'logging: {driver: json-file, options: {max-buffer-size: 1m}}',
      'logging/options/max-buffer-size is for "mode: non-blocking"',
    ],
    [
      'ports: [{target: 80, published: 8080, host_ip: fe80::1%eth0}]',
      'ports/0 "fe80::1%eth0" is no IP address',
    ],
    ['extra_hosts: ["db:fe80::1%eth0"]', 'extra_hosts/0 "fe80::1%eth0" is no IP address'],
    ['cpuset: 8193', 'cpuset "8193" is no list of CPUs; write for example 0-3 or 0,2'],
    ['mem_reservation: 1m', 'mem_reservation is less than 6m, the least the engine takes'],
    ['ulimits: {nofile: 0}', 'ulimits/nofile is 0, with which no program starts'],
    ['ulimits: {cpu: {soft: 0, hard: 0}}', 'ulimits/cpu is 0, with which no program starts'],
    ['entrypoint: [""]', 'entrypoint is empty, and there is no command either'],
    ['entrypoint: ["", x]', 'entrypoint begins with an empty word, which is no program'],
    ['entrypoint: []\ncmd: [""]', 'cmd begins with an empty word, which is no program'],
    [
      'sysctls: {net.: 1}',
      'sysctls has "net.", which is no kernel parameter; write for example net.core.somaxconn',
    ],
    [
      'sysctls: {net.core.somaxconn: "1\\n2"}',
      'sysctls gives net.core.somaxconn more than one line, which the kernel does not take',
    ],
    [
      'ipc: host\nsysctls: {kernel.shmmax: 1000}',
      'sysctls sets kernel.shmmax beside "ipc: host", where it is the host\'s',
    ],
    [
      'sysctls: {kernel.hostname: web}',
      'sysctls sets kernel.hostname, which no engine takes; write "hostname"',
    ],
    [
      'security_opt: [foo=bar]',
      'security_opt/0 "foo=bar" is no security option; there are no-new-privileges, apparmor, label, seccomp, writable-cgroups',
    ],
    [
      'security_opt: [systempaths=unconfined]',
      'security_opt/0 "systempaths=unconfined" is read by Docker\'s own command alone, and no engine knows it',
    ],
    [
      'security_opt: [seccomp=./profile.json]',
      'security_opt/0 "seccomp=./profile.json" names a file, which no engine reads; write what stands in it behind "seccomp="',
    ],
    [
      'hostname: localhost',
      'hostname "localhost" is what every container calls itself; nobody else can be reached by it',
    ],
    [
      'hostname: Host.Docker.Internal',
      'hostname "Host.Docker.Internal" is a name that Docker gives to the host; choose another one',
    ],
    ['hostname: "10.0"', 'hostname "10.0" is read as an address and never looked up; begin it with a letter'],
  ]
  for (const [lines, problem] of refused)
    it(`A45 refuses ${lines.replaceAll('\n', ', ')}`, () => {
      expect(container(lines, volumes, { policy })).to.deep.equal({
        problems: [`${problem} (application-invalid)`],
      })
    })

  for (const [alias, problem] of [
    [
      'app.localhost',
      '"app.localhost" is what every container calls itself; nobody else can be reached by it',
    ],
    [
      'gateway.docker.internal',
      '"gateway.docker.internal" is a name that Docker gives to the host; choose another one',
    ],
    ['0x7f.1', '"0x7f.1" is read as an address and never looked up; begin it with a letter'],
  ] as const)
    it(`A45 refuses ${alias} as a name of a service`, () => {
      const { problems } = service('', `network: {aliases: [${alias}]}`)
      expect(problems).to.deep.equal([
        `applications/shop.yaml:4:25: /services/0/network/aliases/0 ${problem} (application-invalid)`,
      ])
    })

  it("A45 refuses kernel parameters of the network on the host's own", () => {
    const { problems } = service('sysctls: {net.core.somaxconn: 10}', 'network: {host: true}', { policy })
    expect(problems).to.deep.equal([
      'applications/shop.yaml:4:21: /services/0/network/host stands beside "sysctls" of the network, which are the host\'s own there (application-invalid)',
    ])
  })

  for (const [options, problem] of [
    ['{foo: bar}', 'driver_opts/foo is no option of the local driver; there are type, device, o, size'],
    ['{type: tmpfs}', 'driver_opts needs "device", too'],
    ['{size: abc}', 'driver_opts/size "abc" is no size; write for example 512k, 64m or 1.5g'],
    ['{size: -1}', 'driver_opts/size "-1" is no size; write for example 512k, 64m or 1.5g'],
    ['{size: ""}', 'driver_opts/size "" is no size; write for example 512k, 64m or 1.5g'],
  ] as const)
    it(`A45 refuses ${options} as options of a volume`, () => {
      const { problems } = service(
        '',
        `volumes: [{name: data, persistent-volume: {driver_opts: ${options}}}]`,
      )
      expect(problems.join()).to.include(`/services/0/volumes/0/persistent-volume/${problem}`)
    })

  for (const size of ['0', '10m', '1.5 GiB'])
    it(`takes ${size} as the size of a volume`, () => {
      const { problems } = service(
        'mounts: [{volume-name: data, mount-path: /data}]',
        `volumes: [{name: data, persistent-volume: {driver_opts: {size: ${size}}}}]`,
      )
      expect(problems).to.deep.equal([])
    })

  const taken = [
    'healthcheck: {test: x, interval: 1ms, timeout: "0"}',
    'stop_signal: SIGKILL',
    'stop_signal: SIGWINCH',
    'user: 2147483647',
    'tmpfs: [/sys/firmware, /dev/shm, /process]',
    'mounts: [{volume-name: dev, mount-path: /dev}]',
    'tmpfs: /run\nmounts: [{volume-name: conf, mount-path: /run/conf}]',
    'logging: {driver: json-file, options: {max-size: 1m, max-file: 2, compress: T, tag: x, labels: a}}',
    'logging: {driver: local, options: {max-file: 1, compress: false}}',
    'logging: {driver: journald, options: {tag: x, mode: non-blocking, max-buffer-size: 1m}}',
    'logging: {driver: none, options: {max-size: 1m}}',
    'cpuset: 0-8192',
    'cmd: [""]',
    'sysctls: {net.ipv4.conf.eth0/100.forwarding: 1}',
    'sysctls: {kernel.domainname: example.com}',
    'security_opt: [seccomp=unconfined]',
    'hostname: web.1',
    'extra_hosts: ["host.docker.internal:host-gateway", "localhost:127.0.0.1"]',
    'dns: fe80::1%eth0',
  ]
  for (const lines of taken)
    it(`takes ${lines.replaceAll('\n', ', ')}`, () => {
      expect(container(lines, volumes, { policy })).not.to.have.property('problems')
    })
})
