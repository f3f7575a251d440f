import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import type { ResolveContext } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { snapshotOf } from '../../support/builders/snapshot.ts'

/** Returns what is said of a deployment of `shop`, where the sites `lab`, `north` and `south` run the environment. */
async function saidOf(deployment: string, sites: readonly string[] = ['lab', 'north', 'south']) {
  const files = {
    'environments/prod/manifest.json': '{}',
    'applications/shop.yaml':
      'name: shop\nservices: [{name: web, containers: [{name: web, image: "shop:1"}]}]\n',
    'deployments/shop.yaml': `name: shop\napplication: shop\n${deployment}`,
  }
  const here = new Map(
    sites.map(name => [
      name,
      labelsOf([
        ['system/name', name],
        ['system/type', 'edge'],
        ...(name === 'lab' ? [['lab', 'yes'] as const] : []),
      ]),
    ]),
  )
  const context: ResolveContext = {
    ...{ source: 'https://git.example.com/ops/manifests', policy: strictPolicy, healthyMs: 10_000 },
    ...{ sandboxImage: 'busybox:stable', secrets: anySecrets },
    sites: () => ({ here, elsewhere: new Set(), areAllRead: true }),
  }
  const { problems, warnings } = await validateRepository(snapshotOf(files), context)
  expect(problems).to.deep.equal([])
  return warnings.map(formatProblem)
}

const canary = 'deploy-to-sites:\n  canary-sites: {match-site-labels: lab}\n  healthy-time: 1m\n'

describe('a deployment that is refused on the sites of the configuration', () => {
  it('G4 G13 A31 is warned of, with the place of the expression that no site meets', async () => {
    expect(await saidOf('placement: {match-site-labels: system/name = nowhere}\n')).to.deep.equal([
      'deployments/shop.yaml:3:32: the deployment shop means no site, and is refused if its application runs on one (deployment-refused)',
    ])
    expect(await saidOf(`placement: {match-site-labels: not lab}\n${canary}`)).to.deep.equal([
      'deployments/shop.yaml:5:37: the deployment shop has no canary: none of its 2 sites matches "lab" (deployment-refused)',
    ])
  })

  it('G4 A31 is none that can be carried out, that is for no site on purpose, or where no site runs the environment', async () => {
    expect(await saidOf(`placement: {all-sites: true}\n${canary}`)).to.deep.equal([])
    expect(await saidOf(`placement: {match-site-labels: not system/name}\n${canary}`)).to.deep.equal([])
    expect(await saidOf('placement: {match-site-labels: system/name = nowhere}\n', [])).to.deep.equal([])
  })
})
