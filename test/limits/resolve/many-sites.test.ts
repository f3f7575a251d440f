import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { variantFor } from '../../../lib/state/application/desired.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { snapshotOf } from '../../support/builders/snapshot.ts'

describe('what single sites get otherwise, of very many', () => {
  it('A70 G24 is a bounded number of applications, and nothing changes on the sites beyond', async () => {
    const services = Array.from({ length: 2_500 }, (_, n) => ({
      name: `s${n}`,
      containers: [{ dockerTag: '1' }],
    }))
    const names = Array.from({ length: 41 }, (_, n) => `site${String(n).padStart(2, '0')}`)
    const whole = JSON.stringify({ services })
    const files = {
      ...Object.fromEntries(names.map(site => [`environments/prod/sites/${site}/manifest.json`, whole])),
      'environments/prod/manifest.json': whole,
    }
    const here = new Map(names.map(name => [name, labelsOf([['system/name', name]])]))
    const desired = await resolve(
      snapshotOf(files),
      { name: 'prod', directory: 'environments/prod' },
      {
        source: 'ops/manifests',
        policy: strictPolicy,
        healthyMs: 10_000,
        sandboxImage: 'pause:1',
        secrets: anySecrets,
        sites: () => ({ here, elsewhere: new Set() }),
      },
    )
    expect(variantFor(desired, 'site39').applications).to.have.length(2_500)
    const { applications, blocked } = variantFor(desired, 'site40')
    expect(applications).to.have.length(0)
    const first = blocked.find(({ application }) => application === 's0')
    expect(first?.problems.map(formatProblem)).to.deep.equal([
      'environments/prod/sites/site40: is not read: the sites before it change 100000 applications already; one environment has at most 100000 such changes, and 1000000 applications on the sites that have any (repository-too-large)',
    ])
  })
})
