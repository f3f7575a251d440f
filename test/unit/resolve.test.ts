import { expect } from 'chai'
import { formatProblem, InvalidInput } from '../../lib/errors.ts'
import { type ResolveContext, resolve } from '../../lib/resolve.ts'
import type { DesiredState } from '../../lib/state/application/desired.ts'
import { gateAlias, type Route } from '../../lib/state/application/ingress/route.ts'
import { gatesOf } from '../../lib/state/application/ingress/traffic.ts'
import { type Files, snapshotOf, submodule, symlink } from '../support/builders/snapshot.ts'
import { refusal } from '../support/failures/refusal.ts'
import { context, plain, prod } from './resolve/resolve-prod.ts'

const digest = `sha256:${'a'.repeat(64)}`

const ticketManager = `name: ticket-manager
version: "1.0"
services:
  - name: ticket-manager-service
    containers:
      - name: ticket-blipper
        image: "avassa-public/movie-theaters-demo/ticket-blipper:v1.0"
    mode: replicated
    replicas: 1
`

describe('resolve', () => {
  describe('services without a specification', () => {
    it("E25 makes an application of one service, each entry of containers one instance with the image's defaults", async () => {
      const { applications } = await prod({
        services: [
          {
            name: 'events',
            version: '0.1.0',
            containers: [
              { dockerTag: '1' },
              { dockerName: 'events-canary', dockerTag: '2', dockerDigest: digest },
            ],
          },
        ],
      })
      const image = (reference: string) => ({
        reference,
        pin: { state: 'unknown', reason: 'not resolved yet' },
      })
      const defaults = { restart: { name: 'unless-stopped' }, stopGraceMs: 10_000 }
      const around = { network: { name: 'prod' }, volumes: [] }
      expect(applications).to.deep.equal([
        {
          name: 'events',
          version: '0.1.0',
          requires: [],
          services: [
            {
              name: 'events',
              strategy: {
                type: 'auto',
                maxSurge: '25%',
                maxUnavailable: '25%',
                healthyMs: 10_000,
                timeoutMs: 600_000,
                deadlineMs: 21_600_000,
              },
              instances: [
                {
                  containers: [{ name: 'events', image: image('docker.io/library/events:1'), ...defaults }],
                  ...around,
                },
                {
                  containers: [
                    {
                      name: 'events',
                      image: { ...image('docker.io/library/events-canary:2'), expectedDigest: digest },
                      ...defaults,
                    },
                  ],
                  ...around,
                },
              ],
            },
          ],
        },
      ])
    })

    it('E24 puts the configured registry in front of a name that has none', async () => {
      const desired = await prod(
        {
          services: [
            {
              name: 'a',
              containers: [{ dockerTag: '1' }, { dockerName: 'team/a', dockerTag: '1' }],
            },
            { name: 'b', containers: [{ dockerName: 'localhost:5000/b', dockerTag: '1' }] },
          ],
        },
        {},
        { registry: 'registry.example.com/shop/' },
      )
      expect(imagesOf(desired)).to.deep.equal([
        'registry.example.com/shop/a:1',
        'registry.example.com/shop/team/a:1',
        'localhost:5000/b:1',
      ])
    })

    it('E3 warns of a service that names nothing to run, and takes it for one that is not named', async () => {
      const desired = await prod({ services: [{ name: 'a' }, { name: 'b', containers: [] }, plain('c')] })
      expect(namesOf(desired)).to.deep.equal(['c'])
      expect(blockedBy(desired)).to.deep.equal([])
      expect(desired.idle).to.deep.equal(['a', 'b'])
      expect(desired.warnings.map(formatProblem)).to.deep.equal([
        'environments/prod/manifest.json:1:14: a names no containers, and there is no application specification applications/a.yaml; nothing of it runs (nothing-to-run)',
        'environments/prod/manifest.json:1:27: b names no containers, and there is no application specification applications/b.yaml; nothing of it runs (nothing-to-run)',
      ])
    })

    it('G11 blocks what requires a service that has nothing to run', async () => {
      const desired = await prod(
        { services: [{ name: 'db' }, { name: 'web' }] },
        { 'applications/web.yaml': `${specification('web')}requires: {db: "*"}\n` },
      )
      expect(blockedBy(desired)).to.deep.equal([
        'web: applications/web.yaml:7:16: web requires db, which has nothing to run (requires-unsatisfied)',
      ])
    })

    it('E3 has nothing to run in a manifest whose only service names nothing', async () => {
      const desired = await prod({ services: [{ name: 'a' }] })
      expect([desired.applications, desired.blocked]).to.deep.equal([[], []])
    })

    it('D15 blocks a service whose name is no image', async () => {
      const desired = await prod({ services: [{ name: 'Web', containers: [{ dockerTag: '1' }] }] })
      expect(blockedBy(desired).join()).to.include('Web: image "Web:1" has a name that is not lower-case')
    })
  })

  describe('services with a specification', () => {
    it('A1 A3 A4 accepts the example of the applications document unchanged', async () => {
      const desired = await prod(
        { services: [{ name: 'ticket-manager' }] },
        { 'applications/ticket-manager.yaml': ticketManager },
      )
      expect(desired.blocked).to.deep.equal([])
      expect(desired.warnings).to.deep.equal([])
      const [application] = desired.applications
      expect(application).to.deep.include({ name: 'ticket-manager', version: '1.0' })
      expect(application?.services.map(({ name, instances }) => [name, instances.length])).to.deep.equal([
        ['ticket-manager-service', 1],
      ])
      expect(imagesOf(desired)).to.deep.equal([
        'docker.io/avassa-public/movie-theaters-demo/ticket-blipper:v1.0',
      ])
    })

    it('A1 takes .yaml, .yml and .json for the same thing', async () => {
      const files = {
        'applications/a.yaml': specification('a'),
        'applications/b.yml': specification('b'),
        'applications/c.json': JSON.stringify({
          name: 'c',
          services: [{ name: 'web', containers: [{ name: 'web', image: 'c:1' }] }],
        }),
      }
      const desired = await prod({ services: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }, files)
      expect(imagesOf(desired)).to.deep.equal([
        'docker.io/library/a:1',
        'docker.io/library/b:1',
        'docker.io/library/c:1',
      ])
    })

    it("takes an environment's own specification in place of the shared one, for this environment only", async () => {
      const files = {
        'environments/devel/manifest.json': '{"services": [{"name": "a"}]}',
        'applications/a.yaml': specification('a'),
        'environments/prod/applications/a.yaml': specification('a', 'own'),
      }
      expect(imagesOf(await prod({ services: [{ name: 'a' }] }, files))).to.deep.equal([
        'docker.io/library/own:1',
      ])
      const devel = await resolve(
        snapshotOf(files),
        { name: 'devel', directory: 'environments/devel' },
        context,
      )
      expect(imagesOf(devel)).to.deep.equal(['docker.io/library/a:1'])
    })

    it('finds specifications beside an environments directory at any depth', async () => {
      const files = {
        'ops/environments/prod/manifest.json': '{"services": [{"name": "a"}]}',
        'ops/applications/a.yaml': specification('a', 'deep'),
        'applications/a.yaml': 'not this one',
      }
      const place = { name: 'prod', directory: 'ops/environments/prod' }
      expect(imagesOf(await resolve(snapshotOf(files), place, context))).to.deep.equal([
        'docker.io/library/deep:1',
      ])
    })

    it('carries a warning about a size that is not enforced', async () => {
      const text = `${specification('a')}    volumes: [{name: tmp, ephemeral-volume: {size: 1g}}]\n`
      const { warnings } = await prod({ services: [{ name: 'a' }] }, { 'applications/a.yaml': text })
      expect(warnings.map(formatProblem)).to.deep.equal([
        'applications/a.yaml:7:52: /services/0/volumes/0/ephemeral-volume/size is not enforced by Docker (size-not-enforced)',
      ])
    })
  })

  describe('D15 what is wrong with one application blocks that one and no other', () => {
    const broken: readonly (readonly [string, Files, string])[] = [
      [
        'a key that is not known yet',
        { 'applications/bad.yaml': `${specification('bad')}    sidecars: []\n` },
        'bad: applications/bad.yaml:7:5: /services/0/sidecars is not a known key (application-invalid)',
      ],
      [
        'a name that is not the name of the file',
        { 'applications/bad.yaml': specification('other') },
        'bad: applications/bad.yaml:1:7: /name is "other", and the file is named bad (name-mismatch)',
      ],
      [
        'two files of one name',
        { 'applications/bad.yaml': specification('bad'), 'applications/bad.json': '{}' },
        'bad: applications/bad.json: bad is described by applications/bad.yaml too (duplicate-application)',
      ],
      [
        'G24 a symlink',
        { 'applications/bad.yaml': symlink },
        'bad: applications/bad.yaml: is a symlink (path-forbidden)',
      ],
      [
        'G24 a directory with the name of its file',
        { 'applications/bad.yaml/shop.yaml': specification('bad') },
        'bad: applications/bad.yaml: is a directory (file-missing)',
      ],
      [
        'G24 a submodule with the name of its file',
        { 'applications/bad.yaml': submodule },
        'bad: applications/bad.yaml: is a submodule (path-forbidden)',
      ],
      [
        'G24 a pointer of Git LFS',
        { 'applications/bad.yaml': 'version https://git-lfs.github.com/spec/v1\n' },
        'bad: applications/bad.yaml: is a Git LFS pointer; the file itself is stored elsewhere (file-missing)',
      ],
      [
        'C1 a pod manifest without apps',
        { 'applications/bad.json': '{"acKind": "PodManifest", "acVersion": "0.8.11", "apps": []}' },
        'bad: applications/bad.json:1:58: /apps must not be empty (pod-invalid)',
      ],
      [
        'G24 a NUL character',
        {
          'applications/bad.json': JSON.stringify({
            name: 'bad',
            services: [{ name: 'web', containers: [{ name: 'web', image: 'a', cmd: ['\0'] }] }],
          }),
        },
        'bad: applications/bad.json:1:88: /services/0/containers/0/cmd/0 holds a NUL character (application-invalid)',
      ],
      [
        'G23 a violation of the policy',
        { 'applications/bad.yaml': `${specification('bad')}        privileged: true\n` },
        'bad: applications/bad.yaml:7:21: /services/0/containers/0/privileged is root on the host; the operator allows that by "policy: {privileged: true}" in tallyman.yaml (policy-violation)',
      ],
    ]
    for (const [what, files, problem] of broken)
      it(what, async () => {
        const text = { ...files, 'applications/good.yaml': specification('good') }
        const desired = await prod({ services: [{ name: 'bad' }, { name: 'good' }, plain('plain')] }, text)
        expect(namesOf(desired)).to.deep.equal(['good', 'plain'])
        expect(blockedBy(desired)).to.deep.equal([problem])
      })

    it('a text that is no YAML', async () => {
      const desired = await prod({ services: [{ name: 'bad' }] }, { 'applications/bad.yaml': 'a: [' })
      expect(blockedBy(desired).join()).to.match(/^bad: applications\/bad.yaml:1:\d+: .* \(yaml-invalid\)$/)
    })

    it('G11 G13 what requires it is blocked too, where it says so, and says where the cause is', async () => {
      const desired = await prod(
        { services: [{ name: 'bad' }, { name: 'front' }, plain('plain')] },
        {
          'applications/bad.yaml': specification('other'),
          'applications/front.yaml': `${specification('front')}requires: {bad: "*"}\n`,
        },
      )
      expect(namesOf(desired)).to.deep.equal(['plain'])
      expect(blockedBy(desired)).to.deep.equal([
        'bad: applications/bad.yaml:1:7: /name is "other", and the file is named bad (name-mismatch)',
        'front: applications/front.yaml:7:17: front requires bad, which is blocked: applications/bad.yaml:1:7: /name is "other", and the file is named bad (requires-unsatisfied)',
      ])
    })
  })

  describe('D15 a file of the operator that cannot be used', () => {
    const problem = {
      code: 'config-invalid',
      message: '/ingress/certificates/0/key: /etc/own.key cannot be read (ENOENT)',
      hint: 'Correct the file.',
    } as const
    const reach = (loaded: readonly Route[]): Partial<ResolveContext> => {
      const make = {
        read: { state: 'unusable', problem },
        loaded: [{ sites: ['local'], routes: loaded }],
        rivals: [],
      } as const
      return { ingress: { pool: '10.201.0.0/16', holdMs: 5_000, make } }
    }
    const shop = (replicas = 1) =>
      `${specification('shop')}    replicas: ${replicas}\n    ingress: [{host: shop.example, port: 80}]\n`
    const loaded: Route = {
      application: 'shop',
      service: 'web',
      host: 'shop.example',
      path: '/',
      alias: gateAlias('shop', 'web'),
      port: 80,
      tls: 'off',
      holdMs: 5_000,
    }

    it('blocks the ingress, and nothing that has a route', async () => {
      const desired = await prod(
        { services: [{ name: 'shop' }, plain('plain')] },
        { 'applications/shop.yaml': shop() },
        reach([]),
      )
      expect(namesOf(desired)).to.deep.equal(['shop', 'plain'])
      expect(desired.blocked).to.deep.equal([{ application: 'tallyman-ingress', problems: [problem] }])
      const gates = desired.applications[0]?.services.flatMap(({ traffic }) => gatesOf(traffic))
      expect(gates?.map(({ name }) => name)).to.deep.equal(['prod.shop.ingress'])
    })

    it('blocks it also for the routes of an application that is blocked itself', async () => {
      const files = { 'applications/shop.yaml': shop(-1) }
      const desired = await prod({ services: [{ name: 'shop' }] }, files, reach([loaded]))
      expect(desired.blocked.map(({ application }) => application)).to.deep.equal([
        'shop',
        'tallyman-ingress',
      ])
    })

    it('P33 leaves a blocked application the requests that are answered for it, whoever claims them meanwhile', async () => {
      const blog = shop().replaceAll('shop', 'blog').replace('blog.example', 'SHOP.example')
      const files = { 'applications/shop.yaml': shop(-1), 'applications/blog.yaml': blog }
      const manifest = { services: [{ name: 'blog' }, { name: 'shop' }] }
      expect(blockedBy(await prod(manifest, files, reach([loaded])))).to.include(
        'blog: applications/blog.yaml:8:15: blog claims shop.example/, which shop (as it was loaded before it was blocked) claims, too (route-taken)',
      )
      expect(namesOf(await prod(manifest, files, reach([])))).to.deep.equal(['blog'])
    })

    it('concerns nobody where nothing has a route', async () => {
      const { blocked } = await prod({ services: [plain('plain')] }, {}, reach([loaded]))
      expect(blocked).to.deep.equal([])
    })
  })

  it('G11 D6 checks requires against the versions of the manifest', async () => {
    const files = { 'applications/web.yaml': `${specification('web')}requires: {db: ^1.0.0}\n` }
    const db = (version: string) => ({ services: [{ ...plain('db'), version }, { name: 'web' }] })
    expect(namesOf(await prod(db('1.2.0'), files))).to.deep.equal(['db', 'web'])
    expect(blockedBy(await prod(db('2.0.0'), files))).to.deep.equal([
      'web: applications/web.yaml:7:16: web requires db ^1.0.0, which is 2.0.0 (requires-unsatisfied)',
    ])
  })

  it('D15 knows nothing of an environment whose manifest cannot be read', async () => {
    const failure = await rejection(prod({ services: [{ nam: 'a' }] }))
    expect(failure).to.be.instanceOf(InvalidInput)
  })

  describe('G24 only what is missing is missing', () => {
    const inTheWay: readonly (readonly [string, Files, string])[] = [
      [
        'a symlink',
        { applications: symlink },
        'applications: is a symlink, and a directory is looked for there (path-forbidden)',
      ],
      [
        'a submodule',
        { applications: submodule },
        'applications: is a submodule, and a directory is looked for there (path-forbidden)',
      ],
      [
        'a file',
        { applications: '../elsewhere' },
        'applications: is a file, and a directory is looked for there (file-missing)',
      ],
      [
        "a symlink in place of the environment's own",
        { 'environments/prod/applications': symlink },
        'environments/prod/applications: is a symlink, and a directory is looked for there (path-forbidden)',
      ],
    ]
    for (const [what, files, message] of inTheWay)
      it(`knows nothing of an environment whose applications directory is ${what}`, async () => {
        const resolved = prod({ services: [plain('shop')] }, files)
        expect(await refusal(() => resolved)).to.deep.equal([message])
      })

    const nearMisses: readonly (readonly [string, Files, string])[] = [
      [
        'a file whose ending is in upper case',
        { 'applications/shop.YAML': specification('shop') },
        'applications/shop.YAML: is not read: its name has to end in .yaml, .yml or .json, in lower case (application-misnamed)',
      ],
      [
        'a directory in upper case',
        { 'Applications/shop.yaml': specification('shop') },
        'Applications: is not looked into: specifications stand in a directory named applications (application-misnamed)',
      ],
      [
        'a directory in the singular',
        { 'environments/prod/application/shop.yaml': specification('shop') },
        'environments/prod/application: is not looked into: specifications stand in a directory named applications (application-misnamed)',
      ],
      [
        'a file whose name differs from the service by its case alone',
        { 'applications/Shop.yaml': specification('Shop') },
        'applications/Shop.yaml: differs in upper and lower case from the service "shop", which runs without it (application-misnamed)',
      ],
    ]
    for (const [what, files, message] of nearMisses)
      it(`warns of ${what}`, async () => {
        const { warnings } = await prod({ services: [plain('shop')] }, files)
        expect(warnings.map(formatProblem)).to.include(message)
      })

    it('warns of no directory `application` beside the one that is read', async () => {
      const files = { 'application/main.yaml': 'x: 1', 'applications/shop.yaml': specification('shop') }
      expect((await prod({ services: [{ name: 'shop' }] }, files)).warnings).to.deep.equal([])
    })
  })

  it('only validates a specification that no manifest names: its problems are warnings', async () => {
    const { applications, blocked, warnings } = await prod(
      { services: [] },
      { 'applications/idle.yaml': specification('other'), 'applications/README.md': '# nothing' },
    )
    expect({ applications, blocked }).to.deep.equal({ applications: [], blocked: [] })
    expect(warnings.map(formatProblem)).to.deep.equal([
      'applications/idle.yaml:1:7: /name is "other", and the file is named idle; this stops nothing, because neither the manifest nor a deployment names the application, but "tallyman validate" counts it as an error (name-mismatch)',
    ])
  })

  for (const name of ['host', 'none', 'bridge', 'default', 'shop.ingress'])
    it(`refuses an environment named ${name}: its network would be taken for another`, async () => {
      const files = { [`environments/${name}/manifest.json`]: '{}' }
      const place = { name, directory: `environments/${name}` }
      expect(await rejection(resolve(snapshotOf(files), place, context))).to.have.property(
        'code',
        'environment-invalid',
      )
    })

  it('D17 names what it makes after what the environment is called on engines', async () => {
    const shop = `name: shop
services:
  - name: web
    volumes: [{name: data, persistent-volume: {}}]
    containers:
      - {name: web, image: "web:1", mounts: [{volume-name: data, mount-path: /data}]}
`
    const { applications, ...desired } = await prod(
      { services: [plain('web'), { name: 'shop' }] },
      { 'applications/shop.yaml': shop },
      { nameOnEngines: 'prod-59a31d6d' },
    )
    expect(desired).to.include({ environment: 'prod-59a31d6d', directory: 'environments/prod' })
    const instances = applications.flatMap(({ services }) => services.flatMap(one => one.instances))
    expect(instances.map(({ network }) => network.name)).to.deep.equal([
      'prod-59a31d6d',
      'prod-59a31d6d.shop',
    ])
    expect(instances.flatMap(({ volumes }) => volumes.map(({ name }) => name))).to.deep.equal([
      'prod-59a31d6d.shop.data',
    ])
  })

  it('hands on revision, source and skipConfirmation', async () => {
    const desired = await prod({ skipConfirmation: true })
    expect(desired).to.deep.include({
      environment: 'prod',
      source: 'https://git.example.com/ops/manifests',
      skipConfirmation: true,
    })
    expect(desired.revision.commit).to.equal('1111111111111111111111111111111111111111')
  })

  it('C53 lets nobody else have the name of the metadata service', async () => {
    const { blocked } = await prod({ services: [plain('tallyman-metadata')] })
    expect(
      blocked.flatMap(({ problems }) => problems.map(({ code, message }) => [code, message])),
    ).to.deep.equal([['name-reserved', 'tallyman-metadata is the name of the metadata service of pods']])
  })

  for (const [name, owner] of [
    ['Tallyman-Metadata', 'the metadata service of pods'],
    ['TALLYMAN-METADATA', 'the metadata service of pods'],
    ['tallyman-Ingress', 'the ingress'],
  ] as const)
    it(`C53 G24 lets nobody be found in its place: name servers take ${name} for its name`, async () => {
      const other = { name, containers: [{ dockerName: 'tools', dockerTag: '1' }] }
      const { applications, blocked } = await prod({ services: [plain('web'), other] })
      expect(applications.map(one => one.name)).to.deep.equal(['web'])
      expect(
        blocked.map(({ application, problems: [{ code, message }] }) => [application, code, message]),
      ).to.deep.equal([[name, 'name-reserved', `${name} is the name of ${owner}`]])
    })
})

/** Six lines; more may follow: of the container (by eight blanks), of the service (by four), of the application. */
function specification(name: string, image = name): string {
  return `name: ${name}
services:
  - name: web
    containers:
      - name: web
        image: "${image}:1"
`
}

function namesOf({ applications }: DesiredState): readonly string[] {
  return applications.map(({ name }) => name)
}

function imagesOf({ applications }: DesiredState): readonly string[] {
  return applications.flatMap(({ services }) =>
    services.flatMap(({ instances }) =>
      instances.flatMap(({ containers }) => containers.map(({ image }) => image.reference)),
    ),
  )
}

function blockedBy({ blocked }: DesiredState): readonly string[] {
  return blocked.flatMap(({ application, problems }) =>
    problems.map(problem => `${application}: ${formatProblem(problem)}`),
  )
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it went on'),
    (error: unknown) => error,
  )
}
