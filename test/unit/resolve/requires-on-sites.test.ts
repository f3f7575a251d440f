import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import type { ResolveContext } from '../../../lib/resolve.ts'
import { blockDependents, blockDependentsAnywhere } from '../../../lib/spec/build/requires.ts'
import { whereaboutsOf } from '../../../lib/spec/claims/whereabouts.ts'
import { type DesiredState, variantFor } from '../../../lib/state/application/desired.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'
import { context, prod } from './resolve-prod.ts'

describe('what requires a blocked application', () => {
  const told =
    'applications/web.yaml:2:16: web requires db, which is blocked: applications/db.yaml:2:11: /services must be a list, not 7 (requires-unsatisfied)'

  it('G11 D15 A20 is blocked where a site is to have both, and not where none is', async () => {
    expect(await blockedWith('edge', 'control-tower')).to.deep.equal([])
    expect(await blockedWith('edge', 'edge')).to.deep.equal([told])
    expect(await blockedWith('edge', undefined), 'on all sites').to.deep.equal([told])
  })

  it('G11 D15 A20 is blocked as well where the images of the other one turn out to be missing', async () => {
    const files = { ...requiring(), ...deployment('db', 'edge'), ...deployment('web', 'control-tower') }
    const desired = await prod(manifest, { ...files, 'applications/db.yaml': specification('db') }, { sites })
    const without: DesiredState = {
      ...desired,
      applications: desired.applications.filter(({ name }) => name !== 'db'),
      blocked: [{ application: 'db', problems: [{ code: 'image-not-found', message: 'db:1 is unknown' }] }],
    }
    const blockedAnew = (deployments: DesiredState['deployments'], site?: string) => {
      const variants = site === undefined ? {} : { variants: new Map([[site, without]]) }
      const anew = blockDependentsAnywhere({ ...without, ...variants }, whereaboutsOf(deployments, sites()))
      return variantFor(anew, site ?? '').blocked.map(({ application }) => application)
    }
    expect(blockedAnew(desired.deployments)).to.deep.equal(['db'])
    expect(blockedAnew(desired.deployments, 'tower')).to.deep.equal(['db'])
    expect(blockedAnew([])).to.deep.equal(['db', 'web'])
  })

  it('G11 A20 A62 is not blocked on a site of which the other one is kept away, when another version is decided there', async () => {
    const files = { ...requiring(), 'applications/db.yaml': specification('db') }
    const { applications } = await prod(manifest, files)
    const [web] = applications.filter(({ name }) => name === 'web')
    const onSite = (elsewhere: readonly string[]) =>
      blockDependents({ applications: web === undefined ? [] : [web], blocked: [], elsewhere }, undefined)
    expect(onSite(['db']).blocked).to.deep.equal([])
    expect(onSite([]).blocked.map(({ application }) => application)).to.deep.equal(['web'])
  })

  it('G11 D15 is told by validate where nobody knows the sites, unless it is to run nowhere', async () => {
    const found = async (web: string) => {
      const files = { ...requiring(), ...deployment('db', 'edge'), ...deployment('web', 'edge') }
      const placed = { ...files, 'deployments/web.yaml': deploymentOf('web', web) }
      const snapshot = snapshotOf({
        ...placed,
        'applications/db.yaml': 'name: db\nservices: 7\n',
        'environments/prod/manifest.json': JSON.stringify(manifest),
      })
      const { problems } = await validateRepository(snapshot, context)
      return problems.map(formatProblem).filter(text => text.includes('requires'))
    }
    expect(await found('system/type = control-tower')).to.deep.equal([told])
    expect(await found('not system/name')).to.deep.equal([])
  })
})

const manifest = { services: [{ name: 'db' }, { name: 'web' }] }

function specification(name: string, more = ''): string {
  return `name: ${name}\n${more}services: [{name: ${name}, containers: [{name: app, image: app}]}]\n`
}

function requiring(): Files {
  return { 'applications/web.yaml': specification('web', 'requires: {db: "*"}\n') }
}

function deploymentOf(name: string, expression: string): string {
  return `name: ${name}\napplication: ${name}\nplacement: {match-site-labels: ${expression}}\n`
}

function deployment(name: string, type: string | undefined): Files {
  return type === undefined
    ? {}
    : { [`deployments/${name}.yaml`]: deploymentOf(name, `system/type = ${type}`) }
}

function sites() {
  const labels = (type: string) => labelsOf([['system/type', type]])
  return {
    here: new Map([
      ['north', labels('edge')],
      ['tower', labels('control-tower')],
    ]),
    elsewhere: new Set<string>(),
  }
}

/** Why `web` is blocked, which requires `db`, whose specification is wrong, by the types of the sites of each. */
async function blockedWith(db: string, web: string | undefined): Promise<readonly string[]> {
  const files = { ...requiring(), ...deployment('db', db), ...deployment('web', web) }
  const more: Partial<ResolveContext> = { sites }
  const { blocked } = await prod(
    manifest,
    { ...files, 'applications/db.yaml': 'name: db\nservices: 7\n' },
    more,
  )
  return blocked
    .filter(({ application }) => application === 'web')
    .flatMap(({ problems }) => problems.map(formatProblem))
}
