import { expect } from 'chai'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { withFailedHere } from '../../../../../lib/reconcile/status/application/failed-here.ts'
import type { DeploymentStatus } from '../../../../../lib/reconcile/status/deployment/deployment-status.ts'

const healthyOn = (site: string, reason = ''): ApplicationStatus => ({
  ...{ site, application: 'shop', sync: 'Synced', health: 'Healthy', version: '2', running: 1, wanted: 1 },
  ...{ commit: '', reason },
})
const ended: DeploymentStatus = {
  ...{ name: 'everywhere', application: 'shop', state: 'aborted', reason: 'failed on lab: it crashed' },
  ...{ version: '2', batches: [], sites: { done: 1, now: 0, toCome: 1, failed: 1 } },
  left: [
    { site: 'lab', version: '2', reason: 'failed' },
    { site: 'store', version: '1', reason: 'aborted' },
  ],
}

describe('an application whose deployment has failed', () => {
  it('A33 G13 says so on the site where it failed, although it runs there by now, and only there', () => {
    const all = [healthyOn('lab'), healthyOn('store', 'waits'), healthyOn('office')]
    const reasons = withFailedHere(all, [ended]).map(({ reason }) => reason)
    expect(reasons).to.deep.equal(['the deployment everywhere failed here', 'waits', ''])
  })
})
