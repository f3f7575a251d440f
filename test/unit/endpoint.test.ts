import { expect } from 'chai'
import { endpointOf } from '../../lib/endpoint.ts'
import { Failure } from '../../lib/errors.ts'

const tls = { ca: '/etc/tallyman/ca.pem', cert: '/etc/tallyman/cert.pem', key: '/etc/tallyman/key.pem' }

describe('endpointOf', () => {
  it('takes the local socket where nothing is said', () => {
    expect(endpointOf({ name: 'local' }, {})).to.deep.equal({ kind: 'unix', path: '/var/run/docker.sock' })
  })

  it('takes DOCKER_HOST and its certificates where the site says nothing', () => {
    const env = {
      DOCKER_HOST: 'tcp://10.0.0.7:2376',
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: '/etc/docker/certs',
    }
    expect(endpointOf({ name: 'local' }, env)).to.deep.equal({
      kind: 'tcp',
      host: '10.0.0.7',
      port: 2376,
      tls: {
        ca: '/etc/docker/certs/ca.pem',
        cert: '/etc/docker/certs/cert.pem',
        key: '/etc/docker/certs/key.pem',
      },
    })
  })

  it("prefers the site's own endpoint, without the certificates of the environment", () => {
    const env = { DOCKER_HOST: 'unix:///run/other.sock', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' }
    expect(endpointOf({ name: 'store-1', endpoint: 'tcp://store-1:2375' }, env)).to.deep.equal({
      kind: 'tcp',
      host: 'store-1',
      port: 2375,
    })
  })

  it('reads a socket of another place', () => {
    expect(endpointOf({ name: 'local', endpoint: 'unix:///run/user/1000/docker.sock' }, {})).to.deep.equal({
      kind: 'unix',
      path: '/run/user/1000/docker.sock',
    })
  })

  it("knows Docker's usual ports, with TLS and without", () => {
    expect(endpointOf({ name: 'a', endpoint: 'tcp://a', tls }, {})).to.include({ port: 2376 })
    expect(endpointOf({ name: 'a', endpoint: 'tcp://a' }, {})).to.include({ port: 2375 })
  })

  it('reads an IPv6 address', () => {
    expect(endpointOf({ name: 'a', endpoint: 'tcp://[fd00::7]:2375' }, {})).to.include({ host: 'fd00::7' })
  })

  it('G16 refuses settings that the address of the variables cannot use, unless another manager can', () => {
    const ssh = { keyFile: '/etc/tallyman/store' }
    for (const [settings, env, words] of [
      [{ tls }, {}, 'tls: is not used over a socket'],
      [{ tls }, { DOCKER_HOST: 'unix:///run/docker.sock' }, 'tls: is not used over a socket'],
      [
        { ssh },
        { DOCKER_HOST: 'tcp://10.0.0.7:2375' },
        'ssh: is only for an endpoint that begins with ssh://',
      ],
    ] as const)
      expect(() => endpointOf({ name: 'store', ...settings }, env)).to.throw(Failure, `sites/store/${words}`)
    const managers = ['tcp://10.0.0.8:2376']
    expect(endpointOf({ name: 'store', tls, managers }, {})).to.include({ kind: 'unix' })
  })

  for (const endpoint of [
    'store-1:2375',
    'unix://relative.sock',
    'tcp://',
    'http:host:1234',
    'https:///host:1234',
  ]) {
    it(`refuses ${endpoint} and names the site`, () => {
      expect(() => endpointOf({ name: 'store-1', endpoint }, {}))
        .to.throw(Failure, `sites/store-1/endpoint: "${endpoint}" is not a unix://, tcp:// or ssh:// address`)
        .with.property('code', 'config-invalid')
    })
  }

  const useless: readonly (readonly [string, string])[] = [
    ['tcp://ann:word@store-1:2376', '"tcp://***@store-1:2376" has a user or a password'],
    ['tcp://store-1:2376/engine', '"tcp://store-1:2376…" has something after its host and port'],
    ['https://store-1?token=word', '"https://store-1…" has something after its host and port'],
  ]
  for (const [endpoint, words] of useless) {
    it(`G24 G16 refuses ${endpoint}, of which a part would have no effect`, () => {
      expect(() => endpointOf({ name: 'store-1', endpoint }, {}))
        .to.throw(Failure, `sites/store-1/endpoint: ${words}`)
        .with.property('code', 'config-invalid')
    })
  }

  const at = (directory: string) => ({
    ...{ ca: `${directory}/ca.pem`, cert: `${directory}/cert.pem`, key: `${directory}/key.pem` },
  })
  const asked: readonly (readonly [string, Readonly<Record<string, string>>, object])[] = [
    ['DOCKER_TLS_VERIFY', { HOME: '/home/ann' }, at('/home/ann/.docker')],
    ['DOCKER_TLS_VERIFY', { HOME: '/home/ann', DOCKER_CONFIG: '/etc/ann' }, at('/etc/ann')],
    ['DOCKER_TLS_VERIFY', { DOCKER_CONFIG: '/etc/ann', DOCKER_CERT_PATH: '/certs' }, at('/certs')],
    ['DOCKER_TLS_VERIFY', { DOCKER_TLS: '1', DOCKER_CERT_PATH: '/certs' }, at('/certs')],
  ]
  for (const [variable, more, tls] of asked)
    it(`G16 takes TLS where ${variable} is set besides ${JSON.stringify(more)}`, () => {
      for (const DOCKER_HOST of ['tcp://engine', 'https://engine', 'http://engine'])
        expect(endpointOf({ name: 'local' }, { DOCKER_HOST, [variable]: '1', ...more })).to.deep.equal({
          ...{ kind: 'tcp', host: 'engine', port: 2376, tls },
        })
    })

  const withoutTls: readonly (readonly [string, object, Readonly<Record<string, string>>, string])[] = [
    [
      'https:// without certificates',
      { endpoint: 'https://engine' },
      {},
      'sites/a/endpoint: "https://engine" asks for TLS',
    ],
    [
      'https:// with a port',
      { endpoint: 'https://engine:443' },
      {},
      'sites/a/endpoint: "https://engine:443" asks for TLS',
    ],
    [
      'https:// beside variables that are not for it',
      { endpoint: 'https://engine' },
      { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' },
      'sites/a/endpoint: "https://engine" asks for TLS',
    ],
    [
      'https:// in DOCKER_HOST',
      {},
      { DOCKER_HOST: 'https://engine' },
      'DOCKER_HOST, for the site a: "https://engine" asks for TLS',
    ],
    [
      'DOCKER_TLS',
      {},
      { DOCKER_HOST: 'tcp://engine', DOCKER_TLS: '1' },
      'DOCKER_HOST, for the site a: DOCKER_TLS asks for TLS',
    ],
  ]
  it('G16 leaves out over a socket what other endpoints of the site use', () => {
    expect(endpointOf({ name: 'a', endpoint: 'unix:///run/docker.sock', tls }, {})).to.deep.equal({
      ...{ kind: 'unix', path: '/run/docker.sock' },
    })
  })

  for (const [what, site, env, words] of withoutTls)
    it(`G16 G24 refuses ${what}, and never goes on without TLS`, () => {
      expect(() => endpointOf({ name: 'a', ...site }, env))
        .to.throw(Failure, words)
        .with.property('code', 'config-invalid')
    })

  it('reads the port that is written, also if it is the usual one of the protocol', () => {
    expect(endpointOf({ name: 'a', endpoint: 'https://a:443', tls }, {})).to.include({ port: 443 })
    expect(endpointOf({ name: 'a', endpoint: 'http://a:80/' }, {})).to.include({ port: 80 })
    expect(endpointOf({ name: 'a', endpoint: 'tcp://[fd00::7]', tls }, {})).to.include({ port: 2376 })
  })

  for (const [written, port] of [
    ...[
      'tcp://h:1234 ',
      ' tcp://h:1234',
      'tcp://h:1234\n',
      'tcp://h:1234?',
      'tcp://h:1234/#',
      'tcp://h:01234',
    ].map(one => [one, 1234] as const),
    ...([
      ['HTTP://h:80 ', 80],
      ['http://h:80?', 80],
      ['tcp://h ', 2375],
    ] as const),
  ])
    it(`G4 reads the port ${port} of ${JSON.stringify(written)}, as of an environment file`, () => {
      expect(endpointOf({ name: 'a' }, { DOCKER_HOST: written })).to.deep.equal({
        ...{ kind: 'tcp', host: 'h', port },
      })
    })

  it('G13 advises of TLS for an address what has an effect there', () => {
    const words = (site: object, env: Readonly<Record<string, string>>) => {
      try {
        endpointOf({ name: 'a', ...site }, env)
        return ''
      } catch (error) {
        return String(error)
      }
    }
    expect(words({ endpoint: 'https://h' }, {})).to.match(/ to the site$/)
    expect(words({}, { DOCKER_HOST: 'https://h' })).to.match(
      /, or set DOCKER_TLS_VERIFY and DOCKER_CERT_PATH$/,
    )
  })

  describe('over SSH', () => {
    const hostKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
    const ssh = { keyFile: '/etc/tallyman/store', knownHostsFile: '/etc/tallyman/known_hosts' }

    it('reads who logs in, where, and by which key', () => {
      expect(
        endpointOf({ name: 'store-1', endpoint: 'ssh://deploy@Store-1.example.com', ssh }, {}),
      ).to.deep.equal({
        kind: 'ssh',
        url: 'ssh://deploy@store-1.example.com',
        user: 'deploy',
        host: 'store-1.example.com',
        port: 22,
        keyFile: '/etc/tallyman/store',
        known: { file: '/etc/tallyman/known_hosts' },
      })
    })

    it('reads a port, the socket on the host, and a pinned key', () => {
      const given = {
        name: 'store-1',
        endpoint: 'ssh://deploy@[fd00::7]:2222/run/user/1000/docker.sock',
        ssh: { keyFile: '/etc/tallyman/store', hostKey },
      }
      expect(endpointOf(given, {})).to.deep.include({
        url: 'ssh://deploy@[fd00::7]:2222/run/user/1000/docker.sock',
        host: 'fd00::7',
        port: 2222,
        socket: '/run/user/1000/docker.sock',
        known: { key: Buffer.from(hostKey.split(' ')[1] ?? '', 'base64') },
      })
    })

    const refused: readonly (readonly [string, object, string])[] = [
      ['ssh://store-1', { ssh }, 'sites/s/endpoint: "ssh://store-1" names no user'],
      ['ssh://deploy:word@store-1', { ssh }, 'sites/s/endpoint: "ssh://***@store-1" has a password'],
      ['ssh://-oProxyCommand=x@store-1', { ssh }, 'has a user that cannot be one'],
      ['ssh://deploy@-store', { ssh }, 'has a host that cannot be one'],
      ['ssh://deploy@store-1/run/$(reboot).sock', { ssh }, 'has a path that is not that of a socket'],
      ['ssh://deploy@store-1/run/docker.sock?x=1', { ssh }, 'has something after its path'],
      ['ssh://deploy@store-1', {}, 'sites/s/ssh: is missing'],
      ['ssh://deploy@store-1', { ssh: { keyFile: 'k' } }, 'needs either "knownHostsFile" or "hostKey"'],
      ['ssh://deploy@store-1', { ssh: { ...ssh, hostKey } }, 'needs either "knownHostsFile" or "hostKey"'],
      [
        'ssh://deploy@store-1',
        { ssh: { keyFile: 'k', hostKey: 'ssh-rsa AAAA' } },
        'sites/s/ssh/hostKey: is no',
      ],
    ]
    for (const [endpoint, more, words] of refused)
      it(`G24 refuses ${endpoint} with ${JSON.stringify(more)}: ${words}`, () => {
        expect(() => endpointOf({ name: 's', endpoint, ...more }, {}))
          .to.throw(Failure, words)
          .with.property('code', 'config-invalid')
      })
  })
})
