import { expect } from 'chai'
import type { OpenAttempt } from '../../../../../lib/journal/services/attempts.ts'
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

  it('G13 has what was found as wanted be that no more, and says that it is what was there before', () => {
    const { code: _, until: __, queue: ___, since: ____, ...one } = { ...waiting, sync: 'Synced' as const }
    const saying = (begun: readonly OpenAttempt[]) =>
      withUnderWay([one], begun).map(({ sync, reason, since }) => [sync, reason, since])
    expect(saying([two])).to.deep.equal([
      [
        'OutOfSync',
        'the rollout of version 2 has begun, and this is what was there before',
        '1970-01-01T00:00:00.000Z',
      ],
    ])
    const repair = [{ ...two, of: { version: '1', commit: 'c' } }]
    expect(saying(repair).map(([, reason]) => reason)).to.deep.equal([
      'a change has begun, and this is what was there before',
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
