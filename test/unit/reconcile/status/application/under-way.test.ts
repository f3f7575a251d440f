import { expect } from 'chai'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { withUnderWay } from '../../../../../lib/reconcile/status/application/under-way.ts'

const waiting: ApplicationStatus = {
  ...{ site: 'local', application: 'web', sync: 'OutOfSync', health: 'Healthy', version: '1' },
  ...{ wantedVersion: '3', running: 1, wanted: 1, commit: 'c', code: 'not-its-turn', reason: 'waits' },
  ...{ since: '2026-11-23T00:00:00.000Z', until: '2026-11-24T00:00:00.000Z' },
  queue: [
    { version: '2', state: 'skipped' },
    { version: '3', state: 'next', reason: 'waits' },
  ],
}
const place = { environment: 'prod', site: 'local', application: 'web', service: 'web' }
const two = { ...place, of: { version: '2', commit: 'c' }, begunAtMs: 0 }

describe('what is told of something that has begun', () => {
  it('A62 G13 names the version that runs to its end, and the wanted one comes later', () => {
    const { code: _, until: __, ...rest } = waiting
    expect(withUnderWay([waiting], [two])).to.deep.equal([
      {
        ...rest,
        reason: 'the rollout of version 2 has begun, and runs to its end',
        since: '1970-01-01T00:00:00.000Z',
        queue: [
          { version: '2', state: 'next' },
          { version: '3', state: 'later', reason: 'waits' },
        ],
      },
    ])
  })

  it('A62 names no version that is not known, and is about its own site and application only', () => {
    const others = [
      { ...waiting, site: 'edge' },
      { ...waiting, application: 'api' },
    ]
    expect(withUnderWay([waiting, ...others], [place]).map(({ reason }) => reason)).to.deep.equal([
      'a rollout has begun, and runs to its end',
      'waits',
      'waits',
    ])
  })

  it('G13 G14 changes nothing of what is suspended, blocked or silent', () => {
    const all: readonly ApplicationStatus[] = [
      { ...waiting, code: 'suspended' },
      { ...waiting, code: 'application-invalid', sync: 'Unknown' },
      { ...waiting, seenAt: '2026-11-23T00:00:00.000Z' },
    ]
    expect(withUnderWay(all, [two])).to.deep.equal(all)
  })
})
