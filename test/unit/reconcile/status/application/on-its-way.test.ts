import { expect } from 'chai'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { withOnTheirWay } from '../../../../../lib/reconcile/status/application/on-its-way.ts'

const row: ApplicationStatus = {
  ...{
    site: 'a',
    application: 'shop',
    sync: 'OutOfSync',
    health: 'Healthy',
    version: '1',
    wantedVersion: '2',
  },
  ...{ running: 1, wanted: 1, commit: '', reason: 'image' },
}

describe('an application that is looked at in the middle of a change', () => {
  const told = (before: ApplicationStatus, now: ApplicationStatus) =>
    withOnTheirWay([before], [now], name => name === 'shop')

  it('G13 is told as it was before, with what runs of it now', () => {
    const now: ApplicationStatus = { ...row, version: '2', health: 'Missing', running: 0, reason: 'begun' }
    expect(told(row, now)).to.deep.equal([{ ...row, health: 'Missing', running: 0 }])
    const tasks = [{ service: 'web', id: 'n1', node: 'n1', running: 1 }]
    expect(told({ ...row, tasks }, now), 'no task runs any more').to.deep.equal([
      { ...row, health: 'Missing', running: 0 },
    ])
  })

  it('G13 G14 goes on once it is no longer suspended, and is told as suspended until then', () => {
    const suspended: ApplicationStatus = { ...row, code: 'suspended', reason: 'night', since: 'then' }
    const { reason: _, ...rest } = row
    expect(told(suspended, row)).to.deep.equal([{ ...rest, reason: '' }])
    expect(told(suspended, suspended)).to.deep.equal([suspended])
  })

  it('G13 leaves out nothing that only one of the looks has', () => {
    const other: ApplicationStatus = { ...row, application: 'blog' }
    expect(withOnTheirWay([row], [other], name => name === 'shop')).to.deep.equal([row, other])
    expect(withOnTheirWay([other], [row], name => name === 'shop')).to.deep.equal([row])
  })
})
