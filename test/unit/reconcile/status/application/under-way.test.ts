import { expect } from 'chai'
import type { OpenAttempt } from '../../../../../lib/journal/services/attempts.ts'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { withUnderWay } from '../../../../../lib/reconcile/status/application/under-way.ts'
import type { TasksOfService } from '../../../../../lib/state/pass/tasks-now.ts'

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

  it('G13 has what was found as wanted be that no more, and says which of what is shown is from before', () => {
    const { code: _, until: __, queue: ___, since: ____, ...one } = { ...waiting, sync: 'Synced' as const }
    const saying = (begun: readonly OpenAttempt[]) =>
      withUnderWay([one], begun).map(({ sync, reason, since }) => [sync, reason, since])
    expect(saying([two])).to.deep.equal([
      [
        'OutOfSync',
        'the rollout of version 2 has begun; the version and the health shown are from before it',
        '1970-01-01T00:00:00.000Z',
      ],
    ])
    const repair = [{ ...two, of: { version: '1', commit: 'c' } }]
    expect(saying(repair).map(([, reason]) => reason)).to.deep.equal([
      'a change has begun; the version and the health shown are from before it',
    ])
  })

  it('G13 tells how many tasks of a Swarm run now, of which version, and where, of the services that are waited for', () => {
    const { code: _, until: __, queue: ___, since: ____, ...rest } = waiting
    const tasks = [
      { service: 'api', node: 'a', id: 'n1', running: 2 },
      { service: 'web', node: 'a', id: 'n1', running: 3 },
    ]
    const one = { ...rest, sync: 'Synced', reason: '', running: 5, wanted: 5, tasks } as const
    const nodes = [
      { node: 'a', id: 'n1', running: 2 },
      { node: 'b', id: 'n2', running: 1 },
    ]
    const now = { ...place, wanted: 4, running: 1, earlier: 2, nodes }
    const [told] = withUnderWay([one], [two], [now, { ...now, site: 'edge' }])
    expect(told).to.deep.include({
      ...{ sync: 'OutOfSync', running: 5, wanted: 6 },
      reason: 'the rollout of version 2 has begun: 1 of 4 tasks of web run, and 2 of before',
      tasks: [tasks[0], ...nodes.map(node => ({ service: 'web', ...node }))],
    })
    const last = { ...now, wanted: 1, running: 1, earlier: 0, nodes: [] }
    expect(withUnderWay([waiting], [two], [last])[0]?.reason).to.equal(
      'the rollout of version 2 has begun, and runs to its end: 1 of 1 task of web run',
    )
    const short = { ...one, running: 5, wanted: 6 }
    expect(
      withUnderWay([short], [], [now])[0],
      'nobody knows of which service one was missing',
    ).to.deep.include({
      ...{ sync: 'Synced', running: 5, wanted: 6 },
    })
  })

  it('G13 has what was found blocked, or in the middle of a change, before it began say that it has begun', () => {
    const { code: _, until: __, queue: ___, since: ____, ...rest } = waiting
    const all: readonly ApplicationStatus[] = [
      {
        ...rest,
        code: 'registry-credentials-unreadable',
        sync: 'Unknown',
        since: '1969-12-31T00:00:00.000Z',
      },
      { ...rest, reason: 'no instances wanted' },
    ]
    const began = { ...two, begunAtMs: 2_000 }
    const told = {
      ...{ ...rest, sync: 'OutOfSync', wantedVersion: '2', since: '1970-01-01T00:00:02.000Z' },
      reason: 'the rollout of version 2 has begun; the version and the health shown are from before it',
    }
    expect(withUnderWay(all, [began], [], () => 1_000)).to.deep.equal([told, told])
    expect(
      withUnderWay(all, [began], [], () => 3_000),
      'they were seen since',
    ).to.deep.equal(all)
  })

  it('G13 has what was seen since, and lacks the version that has begun, be on its way to it', () => {
    const { code: _, until: __, ...rest } = waiting
    const begun = { ...two, of: { version: '3', commit: 'c' } }
    expect(withUnderWay([rest], [begun], [], () => 1_000)).to.deep.equal([
      { ...rest, reason: 'the rollout of version 3 has begun', since: '1970-01-01T00:00:00.000Z' },
    ])
  })

  it('G13 G17 says of a site that does not answer that nobody knows how far it is there', () => {
    const { code: _, until: __, ...rest } = waiting
    const away = { ...rest, seenAt: '1969-12-31T00:00:00.000Z', reason: 'the site does not answer' }
    const words = 'the rollout of version 2 had begun there, and nobody knows how far it is'
    expect(withUnderWay([away, { ...away, reason: '' }], [two], [], () => 1_000)).to.deep.equal([
      { ...away, reason: `the site does not answer; ${words}` },
      { ...away, reason: words },
    ])
  })

  it('G13 D18 has what goes back name the version to which it goes, whatever was wanted, and how far it is', () => {
    const now = { ...place, wanted: 2, running: 1, earlier: 1, nodes: [] }
    const told = (to: string | undefined, tasks: readonly TasksOfService[] = []) => {
      const back = { ...place, ...(to === undefined ? {} : { to }) }
      const [one] = withUnderWay(
        [waiting],
        [{ ...two, of: { version: '3', commit: 'c' } }],
        tasks,
        undefined,
        [back],
      )
      return [one?.sync, one?.code, one?.version, one?.wantedVersion, one?.reason]
    }
    const row = ['OutOfSync', undefined, '1']
    expect(told('1')).to.deep.equal([...row, undefined, 'goes back to version 1'])
    expect(told('2')).to.deep.equal([...row, '2', 'goes back to version 2'])
    expect(told(undefined)).to.deep.equal([...row, undefined, 'goes back to what was there before'])
    expect(told('1', [now]).at(-1)).to.equal(
      'goes back to version 1: 1 of 2 tasks of web run, and 1 of what is taken back',
    )
  })

  it('G13 names the version that has begun, also where nobody had read of it when the application was seen', () => {
    const { code: _, until: __, queue: ___, since: ____, wantedVersion: _____, ...one } = waiting
    const goals = (version: string) => {
      const begun = { ...two, of: { version, commit: 'c' } }
      return withUnderWay(
        [
          { ...one, sync: 'Synced' },
          { ...one, sync: 'Synced', wantedVersion: '9' },
        ],
        [begun],
      ).map(row => row.wantedVersion)
    }
    expect(goals('2')).to.deep.equal(['2', '2'])
    expect(goals('1'), 'it is repaired').to.deep.equal([undefined, undefined])
  })

  it('G13 G14 changes nothing of what is blocked, and says of what is suspended that it goes on after that', () => {
    const blocked: ApplicationStatus = { ...waiting, code: 'application-invalid', sync: 'Unknown' }
    const suspended: ApplicationStatus = { ...waiting, code: 'suspended', reason: 'night' }
    expect(withUnderWay([blocked, suspended], [two])).to.deep.equal([
      blocked,
      { ...suspended, reason: 'night; the rollout of version 2 had begun, and goes on after that' },
    ])
  })
})
