import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { variantFor } from '../../../lib/state/application/desired.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { snapshotOf } from '../../support/builders/snapshot.ts'

const here = new Map([
  ['north', labelsOf([['region', 'norway']])],
  ['west', labelsOf([])],
])

const taking = (label: string) => `name: shop
services:
  - name: web
    variables:
      - {name: PLACE, value: none, value-from-site-label: ${label}}
    containers: [{name: web, image: "shop:1", env: {PLACE: "\${PLACE}"}}]
`

/** The warnings on the site `north`, where these labels are asked for: for all sites, and in a specification of its own. */
async function warnedOf(label: string, own?: string, sites = here): Promise<readonly string[]> {
  const files = {
    'environments/prod/manifest.json': '{"services": [{"name": "shop"}]}',
    'applications/shop.yaml': taking(label),
    ...(own === undefined ? {} : { 'environments/prod/sites/north/applications/shop.yaml': taking(own) }),
  }
  const context = {
    ...{ source: 'ops/manifests', policy: strictPolicy, healthyMs: 10_000 },
    ...{ sandboxImage: 'pause:1', secrets: anySecrets },
    sites: () => ({ here: sites, elsewhere: new Set<string>() }),
  }
  const place = { name: 'prod', directory: 'environments/prod' }
  return variantFor(await resolve(snapshotOf(files), place, context), 'north').warnings.map(formatProblem)
}

describe('labels that variables take their values from, and that no site has', () => {
  it('A73 G13 are told with their place where another one was probably meant, or where nobody can set them', async () => {
    expect(await warnedOf('system/nmae')).to.deep.equal([
      'applications/shop.yaml:5:59: no site of the environment has the label "system/nmae"; did you mean "system/name"? (label-unknown)',
    ])
    expect(await warnedOf('regoin')).to.deep.equal([
      'applications/shop.yaml:5:59: no site of the environment has the label "regoin"; did you mean "region"? (label-unknown)',
    ])
    expect(await warnedOf('system/datacenter')).to.deep.equal([
      'applications/shop.yaml:5:59: no site of the environment has the label "system/datacenter", which nobody can set (label-unknown)',
    ])
  })

  it('A73 A70 are told of a specification that a site has for itself', async () => {
    expect(await warnedOf('region', 'regoin')).to.deep.equal([
      'environments/prod/sites/north/applications/shop.yaml:5:59: no site of the environment has the label "regoin"; did you mean "region"? (label-unknown)',
    ])
  })

  it('A73 are not told where all is well: of labels that sites have or may get some day, or where no site is known', async () => {
    for (const label of ['region', 'system/name', 'system/type', 'rack'])
      expect(await warnedOf(label), label).to.deep.equal([])
    expect(await warnedOf('regoin', undefined, new Map())).to.deep.equal([])
  })
})
