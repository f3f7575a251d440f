import { expect } from 'chai'
import { diff } from '../../../lib/plan/compare/diff.ts'
import { needsResources } from '../../../lib/plan/needs-resources.ts'
import type { SiteResources } from '../../../lib/plan/resources.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import type { LiveState } from '../../../lib/state/running/live.ts'
import { changed, desired, live, without } from '../../support/builders/builders.ts'
import { appliedOf } from '../../support/builders/planning.ts'

const before = desired({ name: 'web' }, { name: 'api' })
const there: SiteResources = { networks: ['prod'], volumes: [] }

function needs(after: DesiredState, running: LiveState = live(before), known = there): boolean {
  return needsResources(diff(after, running, { applied: appliedOf(before) }), known)
}

describe('whether a plan depends on what else a site has by now', () => {
  it('G2 is no where a service gets another image on the network that it runs on', () => {
    expect(needs(desired({ name: 'web', tag: '2' }, { name: 'api' }))).to.equal(false)
  })

  it('G2 is yes where a network or a volume may have to be made', () => {
    const anew = { name: 'web', tag: '2' }
    expect(needs(desired({ ...anew, network: 'other' }, { name: 'api' }))).to.equal(true)
    expect(needs(desired({ ...anew, exclusiveVolume: 'data' }, { name: 'api' }))).to.equal(true)
    expect(needs(desired(anew, { name: 'api' }, { name: 'new' }))).to.equal(true)
  })

  it('G2 is yes where a job runs on another network than the service', () => {
    const web = desired({ name: 'web', tag: '2', jobs: ['pre'] }, { name: 'api' })
    expect(needs(web)).to.equal(false)
    const elsewhere = {
      ...web,
      applications: web.applications.map(one => ({
        ...one,
        services: one.services.map(({ jobs = [], ...service }) => ({
          ...service,
          jobs: jobs.map(job => ({ ...job, network: { name: 'jobs' } })),
        })),
      })),
    }
    expect(needs(elsewhere)).to.equal(true)
  })

  it('G2 is yes where nothing keeps the network: what was on it does not run', () => {
    const stopped = changed(live(before), 'web.1', { state: 'exited' })
    expect(needs(desired({ name: 'web', tag: '2' }, { name: 'api' }), stopped)).to.equal(true)
  })

  it('G2 is yes for what is missing, removed or repaired', () => {
    expect(needs(before, without(live(before), 'web.1'))).to.equal(true)
    expect(needs(desired({ name: 'api' }))).to.equal(true)
    expect(needs(before, changed(live(before), 'web.1', { networks: [] }))).to.equal(true)
  })

  it('G13 is yes where a port is published, which others may have taken', () => {
    expect(needs(desired({ name: 'web', tag: '2', hostPort: 8080 }, { name: 'api' }))).to.equal(true)
  })

  it('G2 is yes where what was known may pass: volumes that nobody may see, or a Swarm', () => {
    const after = desired({ name: 'web', tag: '2' }, { name: 'api' })
    expect(needs(after, live(before), { ...there, volumesKept: 'refused' })).to.equal(true)
    expect(needs(after, live(before), { ...there, managesSwarm: true })).to.equal(true)
  })
})
