import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import type { Flags } from '../../lib/config/overlay.ts'
import { type Config, checkConfig, loadConfig } from '../../lib/config.ts'
import { Failure } from '../../lib/errors.ts'
import { strictPolicy } from '../../lib/spec/policy/policy.ts'

function load(file: object, env: NodeJS.ProcessEnv = {}, flags: Flags = {}): Config {
  const directory = mkdtempSync(join(tmpdir(), 'tallyman-config-'))
  const config = join(directory, 'tallyman.yaml')
  try {
    writeFileSync(config, stringify({ repository: { url: '/srv/manifests' }, ...file }))
    const { origin: _, ...loaded } = loadConfig({ config, ...flags }, env)
    return { ...loaded, origin: {} }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const configOf = (ingress: unknown, sites?: unknown) => load({ ingress, sites })

/** What is wrong, without file and line. */
function faultsOf(file: object, env: NodeJS.ProcessEnv = {}, flags: Flags = {}): readonly string[] {
  try {
    load(file, env, flags)
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.message.split('\n').map(line => line.replace(/^\S+:\d+:\d+: (.*) \(config-invalid\)$/, '$1'))
  }
}

const faults = (ingress: unknown, sites?: unknown) => faultsOf({ ingress, sites })

describe('tallyman.yaml', () => {
  it('may say where editors find its schema', () => {
    expect(faultsOf({ $schema: 'https://example.com/config.schema.json' })).to.deep.equal([])
  })

  it('G12 refuses a healthyTime that no instance could have, and approvals that expire at once', () => {
    expect(faultsOf({ healthyTime: '10m', approvalExpires: '0s' })).to.deep.equal([
      '/healthyTime: an instance has 600 s to pass its health gate where nobody says otherwise, and never could; shorten it',
      '/approvalExpires: an approval that expires at once approves nothing',
    ])
    expect(faultsOf({ healthyTime: '9m' })).to.deep.equal([])
  })

  it('A32 cuts healthy times of deployments short only if it says so', () => {
    expect(load({}).longestHealthyMs).to.equal(undefined)
    expect(load({ longestHealthyTime: '5s' }).longestHealthyMs).to.equal(5_000)
    expect(load({ longestHealthyTime: '0s' }).longestHealthyMs).to.equal(0)
    expect(faultsOf({ longestHealthyTime: '5 s' })).to.have.lengthOf(1)
  })

  it('G24 demands signatures only with the keys that count', () => {
    const verify = (value: unknown) => ({ repository: { url: 'git@h:m', verify: value } })
    expect(load(verify({ mode: 'head', keys: ['/k'] })).repository.verify).to.deep.equal({
      mode: 'head',
      keys: ['/k'],
    })
    expect(load(verify({ mode: 'none', keys: ['/k'] })).repository).to.deep.equal({ url: 'git@h:m' })
    expect(faultsOf(verify({ mode: 'tag' }))).to.deep.equal([
      '/repository/verify: "mode: tag" needs "keys": files with public keys',
    ])
    for (const wrong of [
      { mode: 'head', keys: [] },
      { keys: ['/k'] },
      { mode: 'tags', keys: ['/k'] },
      'head',
    ])
      expect(faultsOf(verify(wrong)), JSON.stringify(wrong)).not.to.deep.equal([])
  })

  it('says how to write a duration', () => {
    expect(faultsOf({ poll: 60, healthyTime: 5 })).to.deep.equal([
      '/poll must be a text, not 60; write 60s',
      '/healthyTime must be a text, not 5; write 5s',
    ])
  })

  it('G24 refuses a poll that no clock can follow', () => {
    const polls: Readonly<Record<string, string>> = {
      '99 * * * *': 'is not a usable cron expression: "99" is no minute that it can have',
      'a b c d e': 'is not a usable cron expression: "a" is no minute that it can have',
      '0 0 31 2 *': 'is not a usable cron expression: "31" is no day of the month that it can have',
      '0 0 31W 2 *': 'is not a usable cron expression: no such time ever comes',
      '0 0 29 2 sun#1': 'is not a usable cron expression: no such time ever comes',
      '* * *': 'is not a usable cron expression: it needs five fields, or six with the second in front',
      '* * * * * * *':
        'is not a usable cron expression: it needs five fields, or six with the second in front',
      '10ms': 'is shorter than a second',
      soon: 'is neither a duration such as 60s nor a cron expression',
    }
    for (const [poll, reason] of Object.entries(polls))
      expect(faultsOf({ poll })).to.deep.equal([`/poll: "${poll}" ${reason}`])
    for (const poll of ['*/5 * * * *', '30 * * * * *', '0 0 29 2 *', '60d'])
      expect(faultsOf({ poll })).to.deep.equal([])
  })

  it('refuses names that no environment can have', () => {
    expect(faultsOf({ environments: ['a b', 'teams/a x/environments/prod', ' prod'] })).to.have.length(2)
    expect(faultsOf({ sites: [{ name: 'local', environments: ['a b'] }] })).to.have.length(1)
  })

  it('takes the names of environments from a variable, with or without blanks between them', () => {
    expect(load({}, { TALLYMAN_ENVIRONMENTS: 'prod, test' }).environments).to.deep.equal(['prod', 'test'])
  })
})

describe('flags and variables', () => {
  it('C40 say whether pods are judged strictly, as the file does', () => {
    const isStrict = (...given: Parameters<typeof load>) => load(...given).strict
    expect(isStrict({})).to.equal(false)
    expect(isStrict({ strict: true })).to.equal(true)
    expect(isStrict({ strict: true }, { TALLYMAN_STRICT: 'false' })).to.equal(false)
    expect(isStrict({}, { TALLYMAN_STRICT: 'true' })).to.equal(true)
    expect(isStrict({}, { TALLYMAN_STRICT: 'false' }, { strict: true })).to.equal(true)
    expect(faultsOf({}, { TALLYMAN_STRICT: 'yes' })).to.deep.equal([
      'the variable TALLYMAN_STRICT: /strict must be true or false, not "yes" (config-invalid)',
    ])
  })

  it('G13 are named as the place of a value that is wrong, and not the file beneath', () => {
    const variables = { TALLYMAN_PRUNE: 'yes', TALLYMAN_POLL: 'soon', TALLYMAN_ENVIRONMENT: 'prod,a b' }
    const file = { poll: 60, prune: 'auto', drift: 'no' }
    expect(faultsOf(file, variables)).to.deep.equal([
      'the variable TALLYMAN_ENVIRONMENT: /environments/1 must be the name of an environment, or its directory; a name is letters, digits, "_", "." and "-", and begins with a letter or digit, not "a b" (config-invalid)',
      'the variable TALLYMAN_PRUNE: /prune must be one of "confirm", "auto", "never", not "yes" (config-invalid)',
      '/drift must be one of "repair", "report", "confirm", not "no"',
      'the variable TALLYMAN_POLL: /poll: "soon" is neither a duration such as 60s nor a cron expression (config-invalid)',
    ])
  })

  it('G13 are told apart: a flag counts before a variable, and a variable before the file', () => {
    const file = { environments: ['c c'], log: { level: 'loud' } }
    const variables = { TALLYMAN_ENVIRONMENTS: 'b b' }
    const placesOf = (...given: Parameters<typeof faultsOf>) =>
      faultsOf(...given).map(fault => fault.replace(/ must be .*, not/, ''))
    expect(placesOf(file)).to.deep.equal(['/environments/0 "c c"', '/log/level "loud"'])
    expect(placesOf(file, { ...variables, TALLYMAN_LOG_LEVEL: 'mute' })).to.deep.equal([
      'the variable TALLYMAN_ENVIRONMENTS: /environments/0 "b b" (config-invalid)',
      'the variable TALLYMAN_LOG_LEVEL: /log/level "mute" (config-invalid)',
    ])
    expect(placesOf({}, variables, { environment: ['a a'], stateDir: '' })).to.deep.equal([
      'the flag --environment: /environments/0 "a a" (config-invalid)',
      'the flag --state-dir: /stateDir must not be empty (config-invalid)',
    ])
  })
})

describe('policy in tallyman.yaml', () => {
  it('G23 refuses everything, and fences nobody, unless told', () => {
    expect(load({}).policy).to.deep.equal(strictPolicy)
  })

  it('G23 lists hosts, secrets and ports of applications, in one form', () => {
    const applications = {
      shop: { hosts: ['BÜCHER.example', '*'], secrets: ['db/*'], ports: [80, '53/udp'] },
      'devel/*': { ports: ['*'] },
    }
    expect(load({ policy: { applications } }).policy.applications).to.deep.equal([
      {
        environment: '*',
        application: 'shop',
        hosts: ['xn--bcher-kva.example', '*'],
        secrets: ['db/*'],
        ports: [
          { first: 80, last: 80, protocol: 'tcp' },
          { first: 53, last: 53, protocol: 'udp' },
        ],
      },
      { environment: 'devel', application: '*', ports: [{ first: 0, last: 65_535 }] },
    ])
  })

  it('G24 says what is wrong with what it lists', () => {
    const applications = { 'a/b/c': { hosts: ['a b'] } }
    expect(faultsOf({ policy: { applications } })).to.deep.equal([
      '/policy/applications/"a/b/c": "a/b/c" is neither an application nor an environment and an application; write for example shop, prod/shop or "*"',
      '/policy/applications/"a/b/c"/hosts/0: "a b" is no domain',
    ])
  })

  it('G23 says in words what a rule has to be', () => {
    const policy = {
      hostMounts: ['srv'],
      remoteVolumes: ['nas:/share'],
      applications: { 'prod/shop': { secrets: ['*/password'], prots: [80] } },
    }
    expect(faultsOf({ policy })).to.deep.equal([
      '/policy/hostMounts/0 must be the path of a directory of the host, which begins with "/", not "srv"',
      '/policy/remoteVolumes/0 must be the name or the address of a server without path and port, or "*" for all servers, not "nas:/share"',
      '/policy/applications/"prod/shop"/secrets/0 must be the name of a secret, or the beginning of names and "*": db/*, not "*/password"',
      '/policy/applications/"prod/shop"/prots is not a known key; did you mean "ports"?',
    ])
  })
})

describe('ingress in tallyman.yaml', () => {
  it('P33 has a default for everything', () => {
    expect(configOf({}).ingress).to.deep.equal({
      image: 'caddy:2',
      http: { port: 80, addresses: [] },
      https: { port: 443, addresses: [] },
      acme: {},
      certificates: [],
      trustedProxies: [],
      accessLog: false,
      subnets: '10.201.0.0/16',
      holdMs: 5_000,
      environments: {},
    })
    expect(configOf(undefined)).to.deep.equal(configOf({}))
  })

  it('P33 may be off', () => {
    expect(configOf('off').ingress).to.equal(undefined)
    expect(faults('on')).to.deep.equal(['/ingress must be "off", "external" or an object, not "on"'])
  })

  it("P33 may be a Caddy of the operator's, which listens where the operator lets it", () => {
    expect(configOf('external')).to.deep.equal(configOf({ external: true }))
    expect(configOf('external').ingress).to.include({ isExternal: true, holdMs: 5_000 })
    const { http, health } =
      configOf({ external: true, http: { port: 8080 }, health: { port: 8080 } }).ingress ?? {}
    expect([http?.port, health?.port]).to.deep.equal([8080, 8080])
    expect(faults({ external: true, https: { addresses: ['10.0.0.5'] } })).to.deep.equal([
      '/ingress/https/addresses: says where a container of ours listens; with "external" there is none',
    ])
    expect(
      faults({ external: true, acme: { directory: 'https://ca.internal', root: '/ca.pem' } }),
    ).to.deep.equal([
      '/ingress/acme/root: is put into a container of ours; with "external" have your Caddy trust it',
    ])
    expect(faults({ external: false })).to.deep.equal(['/ingress/external must be equal to constant'])
  })

  it('P33 listens where it is told', () => {
    const { http, https, health } =
      configOf({
        http: { port: 8080 },
        https: { addresses: ['10.0.0.5', '::1'] },
        health: { port: 8404 },
      }).ingress ?? {}
    expect({ http, https, health }).to.deep.equal({
      http: { port: 8080, addresses: [] },
      https: { port: 443, addresses: ['10.0.0.5', '::1'] },
      health: { port: 8404, addresses: [] },
    })
  })

  it('P33 trusts a root for an authority that is named, and for no other', () => {
    const acme = { directory: 'https://ca.internal/acme/acme/directory', root: '/etc/tallyman/ca.pem' }
    expect(configOf({ acme }).ingress?.acme).to.deep.equal(acme)
    expect(faults({ acme: { root: acme.root } })).to.deep.equal([
      '/ingress/acme/root: vouches for an authority, which "directory" has to name',
    ])
  })

  it('G24 says of every value what is wrong with it, all at once', () => {
    expect(
      faults({
        image: 'Caddy',
        hold: 'long',
        subnets: '10.0.0.0/27',
        trustedProxies: ['10.0.0.0/8', 'lb.example.com', '10.0.0.0/33'],
        http: { addresses: ['eth0', 'fe80::1%eth0'] },
      }),
    ).to.deep.equal([
      '/ingress/image: "Caddy" has a name that is not lower-case letters and digits, joined by ".", "_", "-" and "/"',
      '/ingress/hold: "long" is no duration; write for example 90s, 1m30s or 500ms',
      '/ingress/subnets: "10.0.0.0/27" is no range to take subnets of 64 addresses from, as 10.201.0.0/16',
      '/ingress/trustedProxies/1: "lb.example.com" is neither an address nor a subnet',
      '/ingress/trustedProxies/2: "10.0.0.0/33" is neither an address nor a subnet',
      '/ingress/http/addresses/0: "eth0" is no address of a host',
      '/ingress/http/addresses/1: "fe80::1%eth0" is no address of a host',
    ])
  })

  it('G24 gives a port of an address to one of them', () => {
    expect(faults({ http: { port: 443 } })).to.deep.equal([
      '/ingress/https: is where /ingress/http is: port 443',
    ])
    expect(faults({ http: { port: 443, addresses: ['10.0.0.5'] }, health: { port: 80 } })).to.deep.equal([
      '/ingress/https: is where /ingress/http is: port 443',
    ])
    const apart = { http: { port: 443, addresses: ['10.0.0.5'] }, https: { addresses: ['10.0.0.6'] } }
    expect(faults(apart)).to.deep.equal([])
  })
  it('G24 an address counts as what it covers', () => {
    const whole = { http: { port: 443, addresses: ['0.0.0.0'] }, https: { addresses: ['10.0.0.6'] } }
    expect(faults(whole)).to.deep.equal(['/ingress/https: is where /ingress/http is: port 443'])
    expect(faults({ ...whole, https: { addresses: ['::1'] } })).to.deep.equal([])
  })

  describe('of one environment', () => {
    const devel = { http: { port: 8080 }, https: { port: 8443 } }

    it('P33 listens where it is told, and for the rest as all do', () => {
      const { ingress } = configOf({ https: { addresses: ['10.0.0.5'] }, environments: { devel } })
      expect(ingress?.environments).to.deep.equal({
        devel: { http: { port: 8080, addresses: [] }, https: { port: 8443, addresses: ['10.0.0.5'] } },
      })
    })

    it('P33 may not be where another one is told to be, on a site that both have', () => {
      const test = { http: { port: 8081 } }
      expect(faults({ environments: { devel, test: { ...test, https: { port: 8080 } } } })).to.deep.equal([
        '/ingress/environments/test: listens on port 8080 of the site local, where the ingress of devel does',
      ])
      expect(faults({ environments: { devel, test } })).to.deep.equal([])
      const apart = [
        { name: 'one', environments: ['devel'] },
        { name: 'two', environments: ['test'] },
      ]
      expect(faults({ environments: { devel, test: devel } }, apart)).to.deep.equal([])
    })

    it('G24 says what is wrong with it', () => {
      const wrong = { http: { port: 443, addresses: ['eth0'] }, health: { addresses: ['10.0.0.5'] } }
      expect(faults({ environments: { devel: wrong } })).to.deep.equal([
        '/ingress/environments/devel/http/addresses/0: "eth0" is no address of a host',
        '/ingress/environments/devel/health: has no port, and "health" of all environments gives none',
        '/ingress/environments/devel/https: is where /ingress/environments/devel/http is: port 443',
      ])
      expect(
        faults({ external: true, environments: { devel: { http: { addresses: ['::1'] } } } }),
      ).to.deep.equal([
        '/ingress/environments/devel/http/addresses: says where a container of ours listens; with "external" there is none',
      ])
    })
  })
})

describe('the name of a repository', () => {
  it('D17 may be the address that one on this machine was known by before it moved', () => {
    const named = (name: string) => faultsOf({ repository: { url: '/srv/moved', name } })
    expect(named('file:///srv/manifests')).to.deep.equal([])
    expect(named('team/infra')).to.deep.equal([])
    expect(named('https://git.example.com/team/infra')).to.have.length(1)
  })
})

describe('what tallyman.yaml names twice', () => {
  it('D17 is refused for a site with a name of more than 63 characters', () => {
    expect(faultsOf({ sites: [{ name: 'a'.repeat(63) }] })).to.deep.equal([])
    expect(faultsOf({ sites: [{ name: 'a'.repeat(64) }] })).to.deep.equal([
      '/sites/0/name must have at most 63 characters',
    ])
  })

  it('D17 is refused for sites of one name, naming both places', () => {
    expect(
      faultsOf({ sites: [{ name: 'a' }, { name: 'b', endpoint: 'tcp://b:2375' }, { name: 'a' }] }),
    ).to.deep.equal(['/sites/2/name: "a" is the name of two sites: /sites/0/name'])
  })

  it('D17 is refused for sites whose names differ only in case, naming both', () => {
    expect(faultsOf({ sites: [{ name: 'a' }, { name: 'A' }] })).to.deep.equal([
      '/sites/1/name: "A" is the name of two sites: /sites/0/name, as "a"',
    ])
  })

  it('D19 G17 is refused for the endpoint of an engine that two sites of an environment have, naming both', () => {
    const site = (name: string, endpoint: string, more: object = {}) => ({ name, endpoint, ...more })
    const west = site('west', 'tcp://west:2375')
    const faults = (...sites: readonly object[]) => faultsOf({ sites })
    expect(faults(west, site('north', 'tcp://north:2375'), site('east', 'tcp://West:2375'))).to.deep.equal([
      '/sites/2/endpoint: is the same engine as the site west: /sites/0',
    ])
    expect(faults({ name: 'here' }, { name: 'local' })).to.deep.equal([
      '/sites/1: is the same engine as the site here: /sites/0',
    ])
    const swarm = site('cluster', 'tcp://west:2375', { kind: 'swarm' })
    expect(faults(west, swarm), 'the engine of a host may manage a Swarm').to.deep.equal([])
    expect(faults(west, swarm, { ...swarm, name: 'again' })).to.deep.equal([
      '/sites/2/endpoint: is the same engine as the site cluster: /sites/1',
    ])
    const prod = site('prod', 'tcp://apart:2375', { environments: ['prod'] })
    const devel = site('devel', 'tcp://apart:2375', { environments: ['devel'] })
    expect(faults(prod, devel), 'sites of no common environment').to.deep.equal([])
    expect(faults(prod, devel, site('all', 'tcp://apart:2375'))).to.deep.equal([
      '/sites/2/endpoint: is the same engine as the site prod: /sites/0',
    ])
    expect(faults(west, { ...west, name: 'West' }), 'one site that is there twice').to.deep.equal([
      '/sites/1/name: "West" is the name of two sites: /sites/0/name, as "west"',
    ])
  })

  it('G21 is refused for logins of one registry, under whatever name that has', () => {
    const login = (host: string) => ({ host, username: 'ada', passwordFile: '/run/password' })
    const hosts = ['docker.io', 'registry.example.com', 'https://index.docker.io/v1/', 'registry-1.docker.io']
    expect(faultsOf({ registries: [...hosts, 'Registry.example.com'].map(login) })).to.deep.equal([
      '/registries/2/host: "https://index.docker.io/v1/" is a registry that has a login already: /registries/0/host, as "docker.io"',
      '/registries/3/host: "registry-1.docker.io" is a registry that has a login already: /registries/0/host, as "docker.io"',
      '/registries/4/host: "Registry.example.com" is a registry that has a login already: /registries/1/host, as "registry.example.com"',
    ])
    expect(faultsOf({ registries: ['localhost:5000', 'localhost:5001'].map(login) })).to.deep.equal([])
  })

  it('D17 is refused for environments, under whatever spelling of their directory', () => {
    expect(faultsOf({ environments: ['environments/prod', './environments/prod/'] })).to.deep.equal([
      '/environments/1: "./environments/prod/" is an environment that is named already: /environments/0, as "environments/prod"',
    ])
    expect(faultsOf({ environments: ['prod', 'environments/prod', 'a/environments/prod'] })).to.deep.equal([])
  })
})

describe('a tallyman.yaml that is no mapping', () => {
  for (const [text, said] of [
    ['- repository: {url: /srv}', 'tallyman.yaml:1:1: a list'],
    ['# words\n\nwords', 'tallyman.yaml:3:1: a single value'],
    ['42', 'tallyman.yaml:1:1: a single value'],
    ['[]', 'tallyman.yaml:1:1: a list'],
    ['', 'nothing'],
    ['# only a comment', 'nothing'],
  ] as const) {
    it(`D17 is refused with its place where it is ${JSON.stringify(text)}: ${said}`, () => {
      const found = checkConfig('tallyman.yaml', text).problems.map(({ code, message, position }) => {
        const kind = / this is (.*)$/.exec(message)?.[1]
        return `${code} ${position?.file}:${position?.line}:${position?.column}: ${kind}`
      })
      expect(found).to.deep.equal(said === 'nothing' ? [] : [`config-invalid ${said}`])
    })
  }
})

describe('the metadata service in tallyman.yaml', () => {
  const faults = (metadata: object) => faultsOf({ repository: { url: '/srv/manifests' }, metadata })

  it('C53 G24 says what is wrong with its image and its addresses', () => {
    expect(faults({ image: 'registry.example.com/team/tallyman:1' })).to.deep.equal([])
    expect(faults({ image: 'Tallyman', subnets: '10.0.0.0/27' })).to.deep.equal([
      '/metadata/image: "Tallyman" has a name that is not lower-case letters and digits, joined by ".", "_", "-" and "/"',
      '/metadata/subnets: "10.0.0.0/27" is no range to take subnets of 64 addresses from, as 10.202.0.0/16',
    ])
    expect(faults({})).to.have.length(1)
  })
})

describe('the name of a repository in tallyman.yaml', () => {
  it('D17 has neither blanks nor the form of an address', () => {
    const named = (name: string) => faultsOf({ repository: { url: '/srv/manifests', name } })
    expect(['team/infra', 'infra', 'Team/infra.git'].flatMap(named)).to.deep.equal([])
    for (const name of ['', 'team infra', 'https://x/y', 'git@x:y', '/team/infra'])
      expect(named(name), name).to.have.length(1)
  })
})
