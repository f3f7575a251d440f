import { expect } from 'chai'
import { built, service } from '../built.ts'

const shop = `name: shop
version: "1.0"
services:
  - name: web
    replicas: 2
    containers:
      - {name: nginx, image: registry.example.com/team/web:1}
  - name: worker
    containers:
      - {name: worker, image: worker}
`

describe('applications', () => {
  it("A1 A4 A5 reads services with their replicas, all on the application's own network", () => {
    const { application, problems } = built(shop)
    expect(problems).to.deep.equal([])
    expect(application).to.deep.include({ name: 'shop', version: '1.0', requires: [] })
    expect(
      application.services.map(({ name, instances }) => [
        name,
        instances.map(({ network, containers }) => [
          network,
          containers.map(({ name, image }) => [name, image.reference]),
        ]),
      ]),
    ).to.deep.equal([
      [
        'web',
        [
          [
            { name: 'prod.shop', application: 'shop', mode: 'internal' },
            [['nginx', 'registry.example.com/team/web:1']],
          ],
          [
            { name: 'prod.shop', application: 'shop', mode: 'internal' },
            [['nginx', 'registry.example.com/team/web:1']],
          ],
        ],
      ],
      [
        'worker',
        [
          [
            { name: 'prod.shop', application: 'shop', mode: 'internal' },
            [['worker', 'docker.io/library/worker:latest']],
          ],
        ],
      ],
    ])
  })

  it('gives a container nothing but its name, its image and the defaults', () => {
    expect(service('').instance).to.deep.equal({
      containers: [
        {
          name: 'web',
          image: {
            reference: 'docker.io/library/web:1',
            pin: { state: 'unknown', reason: 'not resolved yet' },
          },
          restart: { name: 'unless-stopped' },
          stopGraceMs: 10_000,
        },
      ],
      network: { name: 'prod.shop', application: 'shop', mode: 'internal' },
      volumes: [],
    })
  })

  it('runs no instance with replicas 0', () => {
    expect(service('', 'replicas: 0').service?.instances).to.deep.equal([])
  })

  it('D5 takes a digest in the specification for the one that is expected', () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const image = (text: string) =>
      built(`name: shop\nservices: [{name: web, containers: [{name: web, image: "${text}"}]}]`).application
        .services[0]?.instances[0]?.containers[0].image
    expect(image(`web:1@${digest}`)).to.deep.include({
      reference: 'docker.io/library/web:1',
      expectedDigest: digest,
    })
    expect(image(`web@${digest}`)).to.deep.include({
      reference: 'docker.io/library/web',
      expectedDigest: digest,
    })
  })

  it('refuses an image that Docker does not spell so', () => {
    expect(
      built('name: shop\nservices: [{name: web, containers: [{name: web, image: Web}]}]').problems.join(),
    ).to.match(
      /^applications\/shop.yaml:2:\d+: \/services\/0\/containers\/0\/image has a name that is not lower-case/,
    )
  })

  it('refuses two services of one name', () => {
    expect(built(shop.replace('name: worker', 'name: web')).problems).to.deep.equal([
      'applications/shop.yaml:8:11: /services/1/name is "web" a second time (application-invalid)',
    ])
  })

  it('reads that one instance runs on each node, which is one on a host, and no number beside that', () => {
    const { service: one } = service('', 'mode: global')
    expect([one?.isGlobal, one?.instances.length]).to.deep.equal([true, 1])
    expect(service('', 'mode: global\nreplicas: 2').problems).to.deep.equal([
      'applications/shop.yaml:5:15: /services/0/replicas is not for "mode: global", which has one instance on each node (application-invalid)',
    ])
  })

  it('G1 leaves it to each site whether two instances publish one port where a site is a Swarm', () => {
    const text =
      'name: shop\nservices:\n  - {name: a, replicas: 2, containers: [{name: a, image: a, ports: ["80:1"]}]}'
    expect(built(text).problems).to.have.length(1)
    expect(built(text, { onSwarms: true }).problems).to.deep.equal([])
  })

  it('G1 refuses one host port for two instances or two services', () => {
    const { problems } = service('ports: ["80:80"]', 'replicas: 2')
    expect(problems).to.deep.equal([
      'applications/shop.yaml:4:15: /services/0/replicas is 2, but only one instance can publish host port 80 (application-invalid)',
    ])
    const two = built(
      'name: shop\nservices:\n  - {name: a, containers: [{name: a, image: a, ports: ["80:1"]}]}\n  - {name: b, containers: [{name: b, image: b, ports: ["80:2"]}]}',
    )
    expect(two.problems).to.deep.equal([
      'applications/shop.yaml:4:56: /services/1/containers/0/ports/0 claims host port 80, which the service a claims, too (application-invalid)',
    ])
  })

  it('lets services share a persistent volume, and refuses two descriptions of it', () => {
    const service = (name: string, options: string) =>
      `  - {name: ${name}, volumes: [{name: data, persistent-volume: {${options}}}], containers: [{name: c, image: c, mounts: [{volume-name: data, mount-path: /d}]}]}`
    const memory = 'driver_opts: {type: tmpfs, device: a}'
    const problems = (options: string) =>
      built(`name: shop\nservices:\n${service('a', memory)}\n${service('b', options)}`).problems
    expect(problems(memory)).to.deep.equal([])
    expect(problems('').join()).to.include(
      '/services/1/volumes describes prod.shop.data otherwise than another service does',
    )
  })

  it('G11 reads requires, and refuses what is no range', () => {
    expect(built(`${shop}requires: {events-logger: ^0.1.0, db: "*"}`).application.requires).to.deep.equal([
      { application: 'db', range: '*' },
      { application: 'events-logger', range: '^0.1.0' },
    ])
    expect(built(`${shop}requires: {db: newest}`).problems.join()).to.include(
      '/requires/db "newest" is no range of versions (application-invalid)',
    )
  })

  it('takes the strategy of the application where a service has none', () => {
    const { application } = built(`${shop}    strategy: {type: RollingUpdate}\nstrategy: {type: Recreate}`)
    expect(application.services.map(({ strategy }) => strategy.type)).to.deep.equal(['recreate', 'rolling'])
  })
})

describe('versions that a manifest pins in a specification', () => {
  const one =
    'name: shop\nversion: "1.0"\nservices: [{name: web, containers: [{name: web, image: "team/web:1"}]}]'
  const digest = `sha256:${'b'.repeat(64)}`
  const images = (text: string, entry: object, registry?: string) => {
    const { application, problems } = built(text, { entry, ...(registry === undefined ? {} : { registry }) })
    if (problems.length > 0) return problems
    return application.services.map(({ instances }) => instances[0]?.containers[0].image.reference)
  }

  it('takes the images that the specification names where the entry has no containers', () => {
    expect(images(shop, {})).to.deep.equal([
      'registry.example.com/team/web:1',
      'docker.io/library/worker:latest',
    ])
  })

  it('D6 shows the version of the manifest, and that of the specification where it has none', () => {
    expect(built(one, { entry: { version: '2.0.0' } }).application.version).to.equal('2.0.0')
    expect(built(one, { entry: {} }).application.version).to.equal('1.0')
  })

  it('needs no match where the specification has one container', () => {
    expect(images(one, { containers: [{ dockerTag: '2' }] })).to.deep.equal(['docker.io/team/web:2'])
    expect(images(one, { containers: [{ dockerName: 'other', dockerTag: '2' }] }, 'r.example')).to.deep.equal(
      ['r.example/other:2'],
    )
  })

  it("matches by the image's name, whole or its last part", () => {
    const containers = [
      { dockerName: 'worker', dockerTag: '2' },
      { dockerName: 'web', dockerTag: '3' },
    ]
    expect(images(shop, { containers })).to.deep.equal([
      'registry.example.com/team/web:3',
      'docker.io/library/worker:2',
    ])
  })

  it('E24 puts the registry in front of a name that has none, as anywhere in a manifest', () => {
    const containers = [{ dockerName: 'worker', dockerTag: '2' }]
    expect(images(shop, { containers }, 'r.example/team')).to.deep.equal([
      'registry.example.com/team/web:1',
      'r.example/team/worker:2',
    ])
  })

  it('matches a specification that spells the registry out', () => {
    const containers = [{ dockerName: 'web', dockerTag: '2' }]
    expect(images(shop, { containers }, 'registry.example.com/team')).to.deep.equal([
      'registry.example.com/team/web:2',
      'docker.io/library/worker:latest',
    ])
  })

  it('pins every container of that image', () => {
    const twice = shop.replace('image: worker', 'image: registry.example.com/team/web:1')
    expect(images(twice, { containers: [{ dockerName: 'web', dockerTag: '2' }] })).to.deep.equal([
      'registry.example.com/team/web:2',
      'registry.example.com/team/web:2',
    ])
  })

  it('D5 hands on the digest of the manifest, and forgets that of the specification', () => {
    const text = one.replace('team/web:1', `team/web:1@sha256:${'a'.repeat(64)}`)
    const image = (entry: { dockerTag: string; dockerDigest?: string }) =>
      built(text, { entry: { containers: [entry] } }).application.services[0]?.instances[0]?.containers[0]
        .image
    expect(image({ dockerTag: '2', dockerDigest: digest })).to.deep.include({ expectedDigest: digest })
    expect(image({ dockerTag: '2' })).not.to.have.property('expectedDigest')
  })

  it('refuses an entry that matches nothing, and says what there is', () => {
    expect(images(shop, { containers: [{ dockerName: 'db', dockerTag: '2' }] })).to.deep.equal([
      'environments/prod/manifest.json:3:5: shop: "db" is no image of applications/shop.yaml (registry.example.com/team/web, worker) (container-unmatched)',
    ])
  })

  it("E3 takes an entry without a name for one of the service's own name", () => {
    expect(images(shop, { containers: [{ dockerTag: '2' }] })).to.deep.equal([
      'environments/prod/manifest.json:3:5: shop: "shop" is no image of applications/shop.yaml (registry.example.com/team/web, worker) (container-unmatched)',
    ])
  })

  it('E3 takes the image with exactly that name before those whose path ends in it, so that each can be pinned', () => {
    const text = shop
      .replace('registry.example.com/team/web:1', 'nginx:1.25')
      .replace('image: worker', 'image: bitnami/nginx:1.24')
    const plain = { dockerName: 'nginx', dockerTag: '1.26' }
    expect(images(text, { containers: [plain] })).to.deep.equal([
      'docker.io/library/nginx:1.26',
      'docker.io/bitnami/nginx:1.24',
    ])
    expect(
      images(text, { containers: [plain, { dockerName: 'bitnami/nginx', dockerTag: '1.23' }] }),
    ).to.deep.equal(['docker.io/library/nginx:1.26', 'docker.io/bitnami/nginx:1.23'])
  })

  it('E3 pins images of one name at several tags, and those that spell the registry out, together', () => {
    const text = shop
      .replace('registry.example.com/team/web:1', 'r.example/web:1')
      .replace('image: worker', 'image: web:2')
    const pinned = ['r.example/web:3', 'r.example/web:3']
    const containers = [{ dockerName: 'web', dockerTag: '3' }]
    expect(images(text, { containers }, 'r.example')).to.deep.equal(pinned)
    expect(images(text.replace('image: web:2', 'image: r.example/web:2'), { containers })).to.deep.equal(
      pinned,
    )
  })

  it('E3 refuses a name that is the end of several, instead of pinning all of them', () => {
    const text = shop.replace('image: worker', 'image: other/web')
    expect(images(text, { containers: [{ dockerName: 'web', dockerTag: '2' }] })).to.deep.equal([
      'environments/prod/manifest.json:3:5: shop: "web" is the end of several images of applications/shop.yaml (registry.example.com/team/web, other/web) (container-unmatched)',
    ])
  })

  it('refuses two entries for one image', () => {
    expect(images(one, { containers: [{ dockerTag: '2' }, { dockerTag: '3' }] })).to.deep.equal([
      'environments/prod/manifest.json:3:5: shop: two entries pin the image team/web of applications/shop.yaml (container-unmatched)',
    ])
  })
})
