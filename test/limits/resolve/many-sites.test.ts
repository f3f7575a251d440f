import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import { resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { variantFor } from '../../../lib/state/application/desired.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { snapshotOf } from '../../support/builders/snapshot.ts'

const there = (names: readonly string[]) => ({
  source: 'ops/manifests',
  policy: strictPolicy,
  healthyMs: 10_000,
  sandboxImage: 'pause:1',
  secrets: anySecrets,
  sites: () => ({
    here: new Map(names.map(name => [name, labelsOf([['system/name', name]])])),
    elsewhere: new Set<string>(),
  }),
})
const prod = { name: 'prod', directory: 'environments/prod' }

describe('what single sites get otherwise, of very many', () => {
  it('D15 G24 is one value for all sites beyond a bounded number of applications, also where their files cannot be read', async () => {
    const services = Array.from({ length: 2_500 }, (_, n) => ({
      name: `s${n}`,
      containers: [{ dockerTag: '1' }],
    }))
    const names = Array.from({ length: 403 }, (_, n) => `site${String(n).padStart(3, '0')}`)
    const files = {
      ...Object.fromEntries(names.map(site => [`environments/prod/sites/${site}/manifest.json`, '{'])),
      'environments/prod/manifest.json': JSON.stringify({ services }),
    }
    const desired = await resolve(snapshotOf(files), prod, there(names))
    const [last, ...beyond] = ['site399', 'site400', 'site401', 'site402'].map(name =>
      variantFor(desired, name),
    )
    expect(last?.blocked).to.have.length(2_500)
    expect(last?.blocked[0]?.problems.map(({ code }) => code)).to.deep.equal(['json-invalid'])
    const [first] = beyond
    expect(first?.blocked[0]?.problems.map(({ code }) => code)).to.deep.equal(['repository-too-large'])
    expect(new Set(beyond.map(({ blocked }) => blocked)).size).to.equal(1)
  })

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
    const desired = await resolve(snapshotOf(files), prod, there(names))
    expect(variantFor(desired, 'site39').applications).to.have.length(2_500)
    const { applications, blocked } = variantFor(desired, 'site40')
    expect(applications).to.have.length(0)
    const first = blocked.find(({ application }) => application === 's0')
    expect(first?.problems.map(formatProblem)).to.deep.equal([
      'environments/prod/sites/site40: is not read: the sites before it change 100000 applications already; one environment has at most 100000 such changes, and 1000000 applications on the sites that have any (repository-too-large)',
    ])
  })
})
