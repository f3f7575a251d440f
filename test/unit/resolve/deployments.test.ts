import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { type ResolveContext, resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { type Files, snapshotOf, symlink } from '../../support/builders/snapshot.ts'
import { refusal } from '../../support/failures/refusal.ts'

describe('deployments of a repository', () => {
  it('A20 an application runs where a deployment applies, in the version and with the images of its specification', async () => {
    const { applications, deployments } = await prod({}, { 'deployments/shop.yaml': deployment('shop') })
    expect(applications.map(({ name, version }) => `${name} ${version}`)).to.deep.equal(['shop 1.0'])
    expect(deployments?.map(({ name, placement }) => `${name}: ${placement.kind}`)).to.deep.equal([
      'shop: all-sites',
    ])
  })

  it('A20 an application of the manifest keeps the images that the manifest pins', async () => {
    const { applications } = await prod(
      { services: [{ name: 'shop', containers: [{ dockerTag: '2' }] }] },
      { 'deployments/shop.yaml': deployment('shop') },
    )
    const [container] = applications[0]?.services[0]?.instances[0]?.containers ?? []
    expect(container?.image.reference).to.equal('docker.io/library/shop:2')
  })

  it('A20 a deployment is of a service that only the manifest describes, too', async () => {
    const { applications, deployments } = await prod(
      { services: [plain('web')] },
      { 'deployments/fleet.yaml': deployment('web', undefined, 'fleet') },
    )
    expect(applications.map(({ name }) => name)).to.deep.equal(['web'])
    expect(deployments?.map(({ application }) => application)).to.deep.equal(['web'])
  })

  it('an application that nothing names does not run', async () => {
    const desired = await prod({}, {})
    expect(desired.applications).to.deep.equal([])
    expect(desired).not.to.have.property('deployments')
  })

  it("an environment's own deployment takes the place of the shared one of its name", async () => {
    const { deployments } = await prod(
      {},
      {
        'deployments/shop.yaml': deployment('shop'),
        'environments/prod/deployments/shop.json': JSON.stringify({
          name: 'shop',
          application: 'shop',
          placement: { 'match-site-labels': 'lab' },
        }),
      },
    )
    expect(deployments?.map(({ placement }) => placement.kind)).to.deep.equal(['match-site-labels'])
  })

  it('D15 a deployment that cannot be used keeps its application from being touched, and no other', async () => {
    const { applications, blocked, deployments } = await prod(
      { services: [plain('web'), { name: 'shop' }] },
      { 'deployments/shop.yaml': deployment('shop', '{match-site-labels: a b}') },
    )
    expect(applications.map(({ name }) => name)).to.deep.equal(['web'])
    expect(deployments).to.equal(undefined)
    expect(
      blocked.map(({ application, problems }) => [application, problems.map(formatProblem)]),
    ).to.deep.equal([
      [
        'shop',
        [
          'deployments/shop.yaml:3:34: /placement/match-site-labels is no label expression: expected "and", "or" or the end, found "b" (deployment-invalid)',
        ],
      ],
    ])
  })

  it('D15 tells what is wrong with the application and with its deployment', async () => {
    const { blocked } = await prod(
      {},
      {
        'applications/shop.yaml': shop.replace('image:', 'cpus: 0, image:'),
        'deployments/shop.yaml': deployment('shop', '{}'),
      },
    )
    expect(
      blocked.map(({ application, problems }) => [application, problems.map(({ code }) => code)]),
    ).to.deep.equal([['shop', ['application-invalid', 'deployment-invalid']]])
  })

  it('D15 an application that only a broken deployment names is blocked, and so it is not removed', async () => {
    const { blocked } = await prod({}, { 'deployments/shop.yaml': deployment('shop', '{}') })
    expect(blocked.map(({ application }) => application)).to.deep.equal(['shop'])
  })

  it('two files for one deployment are an error', async () => {
    const { blocked } = await prod(
      {},
      { 'deployments/shop.yaml': deployment('shop'), 'deployments/shop.yml': deployment('shop') },
    )
    expect(blocked.flatMap(({ problems }) => problems.map(formatProblem))).to.deep.equal([
      'deployments/shop.yaml: shop is described by deployments/shop.yml too (duplicate-deployment)',
    ])
  })

  it('G24 knows nothing of an environment whose deployments directory is a symlink', async () => {
    const resolved = prod({ services: [plain('web')] }, { deployments: symlink })
    expect((await refusal(() => resolved)).join()).to.match(/deployments.*symlink/)
  })

  it('D15 blocks an application whose deployment has a wrong ending: it would go to all sites at once', async () => {
    const { blocked, applications } = await prod(
      { services: [plain('web'), plain('api')] },
      { 'deployments/web.YML': deployment('web') },
    )
    expect(applications.map(({ name }) => name)).to.deep.equal(['api'])
    expect(blocked.flatMap(({ problems }) => problems.map(formatProblem))).to.deep.equal([
      'deployments/web.YML: is not read: its name has to end in .yaml, .yml or .json, in lower case (deployment-misnamed)',
    ])
  })

  for (const file of [
    'deployment/web.yaml',
    'Deployments/web.yaml',
    'deployment/edge/web.yaml',
    'deployments/edge/web.yaml',
    'deployments/edge/north/web.yaml',
    'environments/deployments/web.yaml',
    'environments/prod/deployment/web.yaml',
    'environments/prod/deployments/edge/web.yaml',
    'deployment/any-name.yaml',
  ])
    it(`D15 blocks an application whose deployment is not looked for, in ${file}`, async () => {
      const { blocked, applications, warnings } = await prod(
        { services: [plain('web'), plain('api')] },
        { [file]: deployment('web') },
      )
      expect(applications.map(({ name }) => name)).to.deep.equal(['api'])
      expect(
        blocked.map(({ application, problems }) => [application, ...problems.map(formatProblem)]),
      ).to.deep.equal([
        [
          'web',
          `${file}: is not read: deployment specifications stand directly in a directory named deployments (deployment-misnamed)`,
        ],
      ])
      expect(warnings).to.deep.equal([])
    })

  it('D15 an application that only a misplaced deployment names is blocked, and so it is not removed', async () => {
    const { blocked } = await prod({}, { 'deployment/shop.yaml': deployment('shop') })
    expect(blocked.map(({ application }) => application)).to.deep.equal(['shop'])
  })

  it('D15 a misplaced deployment that cannot be read blocks the application with the name of its file', async () => {
    const { blocked } = await prod({ services: [plain('web')] }, { 'deployment/web.yaml': '}' })
    expect(blocked.map(({ application }) => application)).to.deep.equal(['web'])
  })

  it("D15 a misplaced deployment of the environment's own blocks an application with a shared one: it would go where the shared one says", async () => {
    const { blocked } = await prod(
      { services: [plain('web')] },
      {
        'deployments/a.yaml': deployment('web').replace('shop', 'a'),
        'environments/prod/deployment/a.yaml': deployment('web'),
      },
    )
    expect(blocked.map(({ application }) => application)).to.deep.equal(['web'])
  })

  it('D15 leaves alone what only has the name of a deployment, or is of another environment', async () => {
    const { blocked, warnings } = await prod(
      { services: [plain('web')] },
      {
        'deployments/notes.txt': '',
        'deployment/notes.yaml': 'kind: Deployment',
        'deployment/readme.md': 'application: web',
        'environments/test/deployment/web.yaml': deployment('web'),
        'environments/deployments/manifest.json': '{}',
        'environments/deployments/web.yaml': deployment('web'),
        'deployments/shop/notes.yaml': '',
      },
    )
    expect(blocked).to.deep.equal([])
    expect(warnings.map(formatProblem)).to.deep.equal([
      'deployments/shop: is not looked into: deployment specifications stand directly in deployments (deployment-misnamed)',
    ])
  })

  it('warns of what was probably meant to be a deployment', async () => {
    const { warnings, blocked } = await prod(
      { services: [plain('web')] },
      {
        'deployments/fleet.yaml': deployment('web', undefined, 'fleet'),
        'deployments/web.YML': deployment('web'),
        'environments/prod/deployment/notes.yaml': '',
      },
    )
    expect(blocked).to.deep.equal([])
    expect(warnings.map(formatProblem)).to.include.members([
      'deployments/web.YML: is not read: its name has to end in .yaml, .yml or .json, in lower case (deployment-misnamed)',
      'environments/prod/deployment: is not looked into: deployment specifications stand in a directory named deployments (deployment-misnamed)',
    ])
  })
})

const shop = `name: shop
version: "1.0"
services: [{name: web, containers: [{name: web, image: "shop:1"}]}]
`

function deployment(application: string, placement = '{all-sites: true}', name = 'shop'): string {
  return `name: ${name}\napplication: ${application}\nplacement: ${placement}\n`
}

function plain(name: string) {
  return { name, containers: [{ dockerTag: '1' }] }
}

/** Has a specification of `shop`. */
function prod(manifest: object, files: Files): Promise<DesiredState> {
  const context: ResolveContext = {
    source: 'ops/manifests',
    policy: strictPolicy,
    healthyMs: 10_000,
    sandboxImage: 'pause:1',
    secrets: anySecrets,
  }
  const all = {
    'environments/prod/manifest.json': JSON.stringify(manifest),
    'applications/shop.yaml': shop,
    ...files,
  }
  return resolve(snapshotOf(all), { name: 'prod', directory: 'environments/prod' }, context)
}
