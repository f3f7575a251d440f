import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseYaml } from '../../../../lib/document/yaml.ts'
import { formatProblem } from '../../../../lib/errors.ts'
import { checkSchema } from '../../../../lib/schema.ts'
import type { Service } from '../../../../lib/state/application/application.ts'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import { containersOf } from '../../../../lib/state/application/members.ts'
import { built } from '../built.ts'
import { exampleProblems } from '../example.ts'

/** An application `shop` for the environment `prod` with one service under contract. */
const shop = (pallet: string, container = '', more = '') => `name: shop
services:
  - name: web
    pallet: ${pallet}
    containers:
      - {name: app, image: "shop:1"${container}}
${more}`

/** Such a service; fails the test when it has a problem. */
function served(pallet: string, container?: string, more?: string): Service {
  const text = shop(pallet, container, more)
  expect(checkSchema('application', parseYaml('shop.yaml', text)).map(formatProblem)).to.deep.equal([])
  const { application, problems } = built(text, { policy: { remoteVolumes: ['10.0.0.9'] } })
  expect(problems).to.deep.equal([])
  const [service] = application.services
  if (service === undefined) throw new Error('the application has no service')
  return service
}

/** Its containers by phase. */
function phases(service: Service): Readonly<Record<string, Container>> {
  const [instance] = service.instances
  const jobs = service.jobs?.map(({ stage, container }) => [stage, container] as const) ?? []
  return Object.fromEntries([...(instance ? [['serve', instance.containers[0]] as const] : []), ...jobs])
}

function environments(service: Service): object {
  return Object.fromEntries(Object.entries(phases(service)).map(([phase, { env }]) => [phase, env]))
}

function problemsOf(pallet: string, container?: string, more?: string): readonly string[] {
  return built(shop(pallet, container, more)).problems.map(withoutPlace)
}

function withoutPlace(problem: string): string {
  return problem.replace(/^\S+ /, '').replace(' (application-invalid)', '')
}

describe('Pallet applications', () => {
  it('are read as docs/pallet.md shows them', async () => {
    expect(await exampleProblems('pallet')).to.deep.equal([])
  })

  it('P3 P4 P13 run as deploy, as test where there is a suite, and then as serve', () => {
    const commands = (pallet: string) =>
      Object.entries(phases(served(pallet))).map(([phase, { command, entrypoint, user }]) => ({
        phase,
        command,
        entrypoint,
        user,
      }))
    const image = { entrypoint: undefined, user: undefined }
    expect(commands('{domain: shop.example.com}')).to.deep.equal([
      { phase: 'serve', command: ['serve'], ...image },
      { phase: 'deploy', command: ['deploy'], ...image },
    ])
    expect(commands('{domain: shop.example.com, phases: {test: true}}')).to.deep.equal([
      { phase: 'serve', command: ['serve'], ...image },
      { phase: 'test', command: ['test'], ...image },
      { phase: 'deploy', command: ['deploy'], ...image },
    ])
  })

  it('P6 P7 X2 abort the rollout when deploy or test fails; deploy takes as long as it takes, test an hour', () => {
    const { jobs = [] } = served('{domain: shop.example.com, phases: {test: true}}')
    expect(jobs.map(({ stage, onFailure, timeoutMs }) => ({ stage, onFailure, timeoutMs }))).to.deep.equal([
      { stage: 'test', onFailure: 'abort', timeoutMs: 3_600_000 },
      { stage: 'deploy', onFailure: 'abort', timeoutMs: undefined },
    ])
  })

  it('D10 deploy again on every rollback, unless told not to', () => {
    expect(served('{domain: a.example}').jobs?.[0]).not.to.have.property('oncePerImage')
    expect(served('{domain: a.example, redeployOnRollback: false}').jobs?.[0]).to.have.property(
      'oncePerImage',
      true,
    )
  })

  it('P30 P31 D11 have /storage and /static in all phases, the same for all versions and never for one alone', () => {
    const service = served('{domain: a.example, phases: {test: true}}')
    const mounts = [
      { kind: 'volume', volume: 'prod.shop.static', path: '/static', exclusive: false },
      { kind: 'volume', volume: 'prod.shop.storage', path: '/storage', exclusive: false },
    ]
    for (const container of Object.values(phases(service))) expect(container.mounts).to.deep.equal(mounts)
    const volumes = [
      { name: 'prod.shop.static', application: 'shop' },
      { name: 'prod.shop.storage', application: 'shop' },
    ]
    expect(service.instances[0]?.volumes).to.deep.equal(volumes)
    for (const job of service.jobs ?? []) expect(job.volumes).to.deep.equal(volumes)
  })

  it('P30 have their storage on a volume that the service describes, under the name storage', () => {
    const volumes =
      '    volumes: [{name: storage, persistent-volume: {driver_opts: {type: nfs, o: addr=10.0.0.9, device: ":/shop"}}}]\n'
    expect(served('{domain: a.example}', '', volumes).instances[0]?.volumes).to.deep.include({
      name: 'prod.shop.storage',
      application: 'shop',
      driverOptions: { type: 'nfs', o: 'addr=10.0.0.9', device: ':/shop' },
    })
  })

  it('P30 P31 have one storage and one file system of static files for all services of an application', () => {
    const second = (more: string) => `  - name: admin
    pallet: {domain: b.example}
    containers: [{name: app, image: "shop:1"}]
${more}`
    const onHost = (name: string) => `    volumes: [{name: ${name}, host: {path: /srv/${name}}}]\n`
    const problems = (web: string, admin: string) =>
      built(shop('{domain: a.example}', '', web + second(admin)), {
        policy: { hostMounts: ['/srv'] },
      }).problems.map(withoutPlace)
    for (const name of ['storage', 'static']) {
      expect(problems(onHost(name), onHost(name))).to.deep.equal([])
      const fault = `has another file system at /${name} than the service web, and the Pallet services of an application share one`
      for (const [web, admin] of [
        [onHost(name), ''],
        ['', onHost(name)],
        ['', `    replicas: 0\n${onHost(name)}`],
      ] as const)
        expect(problems(web, admin)).to.deep.equal([`/services/1/volumes ${fault}`])
    }
  })

  it('X4 roll unless told otherwise, for their volumes are not exclusive', () => {
    expect(served('{domain: a.example}').strategy.type).to.equal('auto')
    expect(served('{domain: a.example}', '', '    strategy: {type: Recreate}\n').strategy.type).to.equal(
      'recreate',
    )
  })

  it('P3 run sidecars with serve only', () => {
    const { application, problems } = built(
      shop('{domain: a.example}', '', '      - {name: log, image: log, cmd: [follow]}\n'),
    )
    expect(problems).to.deep.equal([])
    const [web] = application.services
    expect(web?.instances[0]?.containers.map(({ name, command }) => [name, command])).to.deep.equal([
      ['app', ['serve']],
      ['log', ['follow']],
    ])
    expect(web?.instances[0]?.containers[1]).not.to.have.property('mounts')
    expect(web?.jobs?.map(({ stage }) => stage)).to.deep.equal(['deploy'])
  })

  it('H8 give hooks their storage only if these list it', () => {
    const hooks = (volumes: string) =>
      served(
        '{domain: a.example}',
        '',
        `    strategy: {rollingUpdate: {pre: {execNewPod: {args: [backup], containerName: app${volumes}}}}}\n`,
      ).jobs?.find(({ stage }) => stage === 'pre')?.container
    expect(hooks('')).not.to.have.property('mounts')
    expect(hooks(', volumes: [storage]')?.mounts).to.deep.equal([
      { kind: 'volume', volume: 'prod.shop.storage', path: '/storage', exclusive: false },
    ])
    expect(hooks('')?.command).to.deep.equal(['backup'])
  })

  it('G2 have no jobs and no instance with replicas 0', () => {
    const service = served('{domain: a.example}', '', '    replicas: 0\n')
    expect(service).to.deep.include({ instances: [] }).and.not.to.have.property('jobs')
  })
})

describe('what Pallet tells an application', () => {
  const everything = `
      domain: [shop.example.com, www.example.com]
      protocol: https
      webConcurrency: 4
      workerConcurrency: 2
      phases: {test: true}
      services:
        - {type: postgres, host: db, user: shop, password: "p@ss/word", database: shop, deployUrl: "postgres://admin:pw@db/shop"}
        - {type: postgres, name: legacy-crm, url: "postgres://crm:pw@crm:5433/crm"}
        - {type: elasticsearch, urls: ["http://a:9200", "http://b:9200"], index: shop}
        - {type: memcache, hosts: ["a:11211", "b:11212"], prefix: shop}
        - {type: rabbitmq, url: "amqp://mq:5672/shop/"}
        - {type: smtp, host: mail}
        - {type: proxy, url: "http://proxy:3128"}
        - {type: syslog, host: log, port: 1514, protocol: tcp}`

  const everywhere = {
    SITE_PROTOCOL: 'https',
    SITE_DOMAIN: 'shop.example.com|www.example.com',
    ENVIRONMENT: 'prod',
    DB_DEFAULT_URL: 'postgres://shop:p%40ss%2Fword@db:5432/shop',
    DB_LEGACY_CRM_URL: 'postgres://crm:pw@crm:5433/crm',
    ELASTICSEARCH_URLS: 'http://a:9200|http://b:9200',
    ELASTICSEARCH_INDEX_NAME: 'shop',
    MEMCACHE_HOSTS: 'a|b:11212',
    MEMCACHE_PREFIX: 'shop',
    AMQP_URLS: 'amqp://mq:5672/shop/',
    EMAIL_HOST: 'mail',
    EMAIL_PORT: '25',
    HTTP_PROXY: 'http://proxy:3128',
    SYSLOG_SERVER: 'log',
    SYSLOG_HOST: '1514',
    SYSLOG_PORT: '1514',
    SYSLOG_PROTO: 'tcp',
  }

  it('P20 P21 P22 P23 P24 is the same in all phases, but for workers in serve and DEPLOY in deploy', () => {
    expect(environments(served(everything))).to.deep.equal({
      serve: { ...everywhere, WEB_CONCURRENCY: '4', WORKER_CONCURRENCY: '2' },
      test: everywhere,
      deploy: { ...everywhere, DB_DEPLOY_URL: 'postgres://admin:pw@db/shop' },
    })
  })

  it('P21 P22 P25 ends with the environment of the container, which keeps to the phases too', () => {
    const service = served(
      '{domain: a.example, services: [{type: smtp, host: mail}]}',
      ', env: {EMAIL_HOST: relay, SECRET_KEY: k, WEB_CONCURRENCY: 8, MIGRATE_ON_DEPLOY: 1}',
    )
    const both = {
      SITE_PROTOCOL: 'http',
      SITE_DOMAIN: 'a.example',
      ENVIRONMENT: 'prod',
      EMAIL_HOST: 'relay',
      EMAIL_PORT: '25',
      SECRET_KEY: 'k',
    }
    expect(environments(service)).to.deep.equal({
      serve: { ...both, WEB_CONCURRENCY: '8' },
      deploy: { ...both, MIGRATE_ON_DEPLOY: '1' },
    })
  })

  it('P25 is by the later of two services that set one variable', () => {
    const { serve } = phases(
      served(
        '{domain: a.example, services: [{type: smtp, host: first}, {type: smtp, host: second, port: 587}]}',
      ),
    )
    expect(serve?.env).to.deep.include({ EMAIL_HOST: 'second', EMAIL_PORT: '587' })
  })

  it('P20 P26 names the kind of environment, and whose it is', () => {
    const { serve } = phases(served('{domain: "localhost:8000", environment: dev_local, devname: ann}'))
    expect(serve?.env).to.deep.equal({
      SITE_PROTOCOL: 'http',
      SITE_DOMAIN: 'localhost:8000',
      ENVIRONMENT: 'dev_local',
      DEVNAME: 'ann',
    })
  })

  it('P23 G16 holds secrets without showing them', () => {
    const { serve } = phases(
      served(
        '{domain: a.example, services: [{type: postgres, host: db, user: shop, password: {secret: db/password}, database: shop}, {type: rabbitmq, urls: [{secret: mq}, "amqp://b/"]}]}',
      ),
    )
    const shown = JSON.stringify(serve)
    expect(shown).not.to.match(/password|postgres:|amqp:/)
    expect(serve?.env).to.include.keys('DB_DEFAULT_URL', 'AMQP_URLS')
  })

  it("P23 takes the variables of the service's own variables", () => {
    const { serve } = phases(
      served(
        '{domain: a.example, services: [{type: smtp, host: "${MAIL}"}]}',
        '',
        '    variables: [{name: MAIL, value: relay.example.com}]\n',
      ),
    )
    expect(serve?.env).to.deep.include({ EMAIL_HOST: 'relay.example.com' })
  })
})

describe('Pallet services as Forklift runs them', () => {
  const rows: readonly { readonly name: string; readonly environment: Readonly<Record<string, string>> }[] =
    JSON.parse(
      readFileSync(
        new URL('../../../../fixtures/conformance/pallet/forklift-service-environment.json', import.meta.url),
        'utf8',
      ),
    ).cases

  /** How each row is said here, and where the contract wants it otherwise. */
  const said: Readonly<Record<string, { readonly service: string; readonly differs?: object }>> = {
    'postgres with port override (README: port 5433)': {
      service: '{type: postgres, host: localhost, port: 5433, user: myapp, database: myapp}',
    },
    'postgres explicit': {
      service:
        '{type: postgres, host: db-server, user: myapp-staging, password: password, database: myapp_db_staging}',
    },
    // The contract knows no type of its own for PostGIS: the address says it.
    'postgis localhost': { service: '{type: postgres, url: "postgis://myapp@localhost:5432/myapp"}' },
    'elasticsearch two nodes as one piped string': {
      service: '{type: elasticsearch, url: "http://alpha:9200|http://beta:9200", index: index}',
    },
    'elasticsearch host override collapses to one': {
      service: '{type: elasticsearch, url: "http://other:9200", index: index}',
    },
    'memcache localhost': { service: '{type: memcache, host: localhost, prefix: myapp}' },
    'memcache piped hosts override': {
      service: '{type: memcache, host: "2.2.2.2|3.3.3.3|gamma|delta", prefix: index}',
      differs: { MEMCACHE_PREFIX: 'index' },
    },
    'amqp localhost': { service: '{type: rabbitmq, url: "amqp://localhost:5672/myapp/"}' },
    'amqp two urls': { service: '{type: rabbitmq, urls: ["amqp://a:5672/v/", "amqp://b:5672/v/"]}' },
    'email localhost': { service: '{type: smtp, host: localhost}' },
    'syslog manual, default port and protocol': {
      service: '{type: syslog, host: log.example.com}',
      differs: { SYSLOG_HOST: '514' },
    },
    'proxy not configured gives no variable': { service: '' },
  }

  it('covers every row', () => {
    expect(Object.keys(said)).to.have.members(rows.map(({ name }) => name))
  })

  for (const { name, environment } of rows)
    it(`P23 ${name}`, () => {
      const { service = '', differs } = said[name] ?? {}
      const { serve } = phases(served(`{domain: a.example, services: [${service}]}`))
      const { SITE_PROTOCOL: _, SITE_DOMAIN: __, ENVIRONMENT: ___, ...told } = serve?.env ?? {}
      expect(told).to.deep.equal({ ...environment, ...differs })
    })

  it('P23 writes an address of IPv6 in brackets where a port follows it, and as it is elsewhere', () => {
    const tell = (service: string) =>
      phases(served(`{domain: a.example, services: [${service}]}`)).serve?.env ?? {}
    for (const host of ['2001:db8::5', '[2001:db8::5]'])
      expect(tell(`{type: postgres, host: "${host}", user: a, password: b, database: c}`)).to.include({
        DB_DEFAULT_URL: 'postgres://a:b@[2001:db8::5]:5432/c',
      })
    expect(tell('{type: smtp, host: "2001:db8::5"}')).to.include({ EMAIL_HOST: '2001:db8::5' })
    expect(tell('{type: syslog, host: "2001:db8::5"}')).to.include({ SYSLOG_SERVER: '2001:db8::5' })
    expect(tell('{type: memcache, host: "2001:db8::5|alpha:11212", prefix: a}')).to.include({
      MEMCACHE_HOSTS: '2001:db8::5|alpha:11212',
    })
  })

  it('P29 gives a cache one prefix, however many hosts it has', () => {
    const { serve } = phases(
      served('{domain: a.example, services: [{type: memcache, host: "alpha|beta", prefix: index}]}'),
    )
    expect(serve?.env).to.include({ MEMCACHE_HOSTS: 'alpha|beta', MEMCACHE_PREFIX: 'index' })
  })

  it('P24 D13 tells the port of the log server under the name of the contract, and under the usual one', () => {
    const { serve } = phases(
      served('{domain: a.example, services: [{type: syslog, host: log.example.com, port: 1514}]}'),
    )
    const port = { SYSLOG_HOST: '1514', SYSLOG_PORT: '1514' }
    expect(serve?.env).to.include({ SYSLOG_SERVER: 'log.example.com', ...port })
  })
})

describe('what the Pallet contract does not allow', () => {
  const refused: readonly (readonly [string, string, string, string])[] = [
    [
      'P3 a command of its own',
      '{domain: a.example}',
      ', cmd: [serve]',
      '/services/0/containers/0/cmd is for the image to say: the Pallet contract keeps its entrypoint and its user',
    ],
    [
      'P3 an entrypoint',
      '{domain: a.example}',
      ', entrypoint: /init',
      '/services/0/containers/0/entrypoint is for the image to say: the Pallet contract keeps its entrypoint and its user',
    ],
    [
      'P3 a user',
      '{domain: a.example}',
      ', user: "1000"',
      '/services/0/containers/0/user is for the image to say: the Pallet contract keeps its entrypoint and its user',
    ],
    [
      'P26 a dev_local of nobody',
      '{domain: a.example, environment: dev_local}',
      '',
      '/services/0/pallet needs a devname, because its environment is dev_local',
    ],
    [
      'P20 an ENVIRONMENT outside of the set',
      '{domain: a.example}',
      ', env: {ENVIRONMENT: live}',
      '/services/0/containers/0/env sets ENVIRONMENT to "live", which the Pallet contract does not know',
    ],
    [
      'what is no domain',
      '{domain: "https://a"}',
      '',
      '/services/0/pallet/domain "https://a" is no domain such as shop.example.com or shop.example.com:8080',
    ],
    [
      'P30 something else at /storage',
      '{domain: a.example}',
      ', tmpfs: /storage',
      '/services/0/containers/0/mounts has something else at /storage, where the Pallet contract mounts its own',
    ],
  ]
  for (const [name, pallet, container, problem] of refused)
    it(`refuses ${name}`, () => {
      expect(problemsOf(pallet, container)).to.deep.equal([problem])
    })

  it('P30 refuses a storage that does not last', () => {
    expect(
      problemsOf('{domain: a.example}', '', '    volumes: [{name: storage, ephemeral-volume: {}}]\n'),
    ).to.deep.equal([
      '/services/0/volumes/0 is what the Pallet contract mounts at /storage: a persistent volume, or a writable one of the host',
    ])
  })

  it('P30 G23 refuses a storage on the host that the operator does not allow', () => {
    const volumes = '    volumes: [{name: storage, host: {path: /srv/shop}}]\n'
    expect(problemsOf('{domain: a.example}', '', volumes)).to.deep.equal([
      '/services/0/containers/0/mounts mounts /srv/shop of the host; the operator allows that by "policy: {hostMounts: [/srv/shop]}" in tallyman.yaml (policy-violation)',
    ])
  })

  it('P30 G23 looks for links out of the allowed directory in every phase', () => {
    const volumes = '    volumes: [{name: storage, host: {path: /srv/shop}}]\n'
    const { application, problems } = built(shop('{domain: a.example}', '', volumes), {
      policy: { hostMounts: ['/srv'] },
    })
    expect(problems).to.deep.equal([])
    const containers = application.services.flatMap(containersOf)
    expect(containers.map(({ name }) => name)).to.deep.equal(['app', 'deploy'])
    for (const { mounts } of containers)
      expect(mounts).to.deep.include({ kind: 'host', source: '/srv/shop', path: '/storage', within: '/srv' })
  })

  const services: readonly (readonly [string, string])[] = [
    ['{type: postgres}', ' needs a url, or a host, user, password and database'],
    ['{type: postgres, host: db, database: shop}', ' needs a user'],
    [
      '{type: postgres, url: "postgres://db/shop"}',
      '/url names no user, but it has to be enough to connect with',
    ],
    ['{type: postgres, url: "mysql://a:b@db/shop"}', '/url has to begin with postgres://, not mysql://'],
    [
      '{type: postgres, url: "postgres://a:p#1@db/shop"}',
      '/url is no address such as postgres://host; special characters of a password are percent-encoded',
    ],
    [
      '{type: postgres, name: deploy, url: "postgres://a:b@db/shop"}',
      '/name is "deploy"; what deploy alone connects to stands in the deployUrl of a database',
    ],
    [
      '{type: postgres, url: "postgres://a:b@db/shop", host: db}',
      '/host stands beside url, which says it already',
    ],
    [
      '{type: postgres, name: redeploy-log, url: "postgres://a:b@db/shop"}',
      '/name makes DB_REDEPLOY_LOG_URL, and variables with DEPLOY in their names are for deploy only; choose another name',
    ],
    [
      '{type: postgres, host: "db.example.com:5433", user: a, database: shop}',
      '/host "db.example.com:5433" has a port, which stands in "port"',
    ],
    [
      '{type: postgres, host: "[2001:db8::5]:5433", user: a, database: shop}',
      '/host "[2001:db8::5]:5433" is no host',
    ],
    [
      '{type: postgres, host: "db?sslmode=off", user: a, database: shop}',
      '/host "db?sslmode=off" is no host',
    ],
    ['{type: smtp, host: "mail:2525"}', '/host "mail:2525" has a port, which stands in "port"'],
    ['{type: syslog, host: "log:1514"}', '/host "log:1514" has a port, which stands in "port"'],
    ['{type: elasticsearch, url: "http://a:9200"}', ' needs an index'],
    ['{type: elasticsearch, index: a}', ' needs exactly one of url, urls'],
    ['{type: memcache, host: a}', ' needs a prefix'],
    ['{type: memcache, host: "a b", prefix: a}', '/host "a b" is no host'],
    ['{type: rabbitmq, urls: ["amqp://a/", "http://b/"]}', '/urls/1 has to begin with amqp://, not http://'],
    ['{type: smtp}', ' needs a host'],
    ['{type: smtp, host: mail, user: ann}', '/user is not for smtp, which takes host, port'],
    ['{type: proxy}', ' needs a url'],
  ]
  for (const [service, problem] of services)
    it(`P23 refuses ${service}`, () => {
      expect(problemsOf(`{domain: a.example, services: [${service}]}`)).to.deep.equal([
        `/services/0/pallet/services/0${problem}`,
      ])
    })

  it('P20 D17 tells the name of the environment, whatever it is called on engines', () => {
    const { application, problems } = built(shop('{domain: a.example}'), { nameOnEngines: 'prod-59a31d6d' })
    expect(problems).to.deep.equal([])
    const [serve] = application.services.flatMap(({ instances }) => instances)
    expect(serve?.containers[0].env).to.include({ ENVIRONMENT: 'prod' })
    expect(serve?.network.name).to.equal('prod-59a31d6d.shop')
  })

  it('P20 refuses an environment whose name the contract does not know, unless pallet says which it is', () => {
    const text = shop('{domain: a.example}')
    expect(built(text, { environment: 'live' }).problems.map(withoutPlace)).to.deep.equal([
      '/services/0/pallet needs an environment: "live" is none of dev_local, dev, test, uat, staging, prod',
    ])
    expect(
      built(shop('{domain: a.example, environment: prod}'), { environment: 'live' }).problems,
    ).to.deep.equal([])
  })
})
