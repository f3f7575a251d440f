import { expect } from 'chai'
import type { UpgradePath } from '../../../lib/state/application/application.ts'
import { application, desired, live, service, strategy } from '../../support/builders/builders.ts'
import { courseOf, planOf, told } from '../../support/builders/planning.ts'

const anew = { ...strategy, type: 'recreate' } as const
const onwards = { ...strategy, type: 'rolling' } as const

/** An application of two services, at a version, that came by these paths. */
function shop(version: string, tag: string, upgrades?: readonly UpgradePath[]) {
  const services = [service({ name: 'web', tag }), service({ name: 'api', tag })]
  return desired({
    ...application('shop', services, { version }),
    ...(upgrades === undefined ? {} : { upgrades }),
  })
}

function planned(before: ReturnType<typeof shop>, after: ReturnType<typeof shop>) {
  const { changes } = planOf({ desired: after, live: live(before), applied: before })
  return changes.map(change => ({
    service: change.service,
    strategy: change.strategy,
    ...(change.held === undefined ? {} : { held: change.held.code }),
    stages: told(courseOf(change), live(before)),
  }))
}

describe('the way from the version that runs', () => {
  const before = shop('1.0', '1')

  it('A41 A42 is that of the first path that matches', () => {
    const paths: readonly UpgradePath[] = [
      { fromPattern: '^0\\.', method: 'stop-and-restart', services: { web: anew, api: anew } },
      { fromPattern: '^1\\.0$', method: 'per-service', services: { web: onwards, api: anew } },
    ]
    const strategies = planned(before, shop('1.1', '2', paths)).map(({ service, strategy }) => [
      service,
      strategy,
    ])
    expect(strategies).to.deep.equal([
      ['api', 'recreate'],
      ['web', 'rolling'],
    ])
  })

  it('A42 is none where no path matches: the version waits and says so', () => {
    const paths: readonly UpgradePath[] = [
      { fromPattern: '^2\\.', method: 'per-service', services: { web: onwards, api: onwards } },
    ]
    expect(planned(before, shop('3.0', '2', paths)).map(({ held }) => held)).to.deep.equal([
      'no-upgrade-path',
      'no-upgrade-path',
    ])
  })

  it('A40 A41 G13 says so in the words of the path, and not in those of a strategy that nobody wrote', () => {
    const services = { web: anew, api: anew }
    for (const method of ['stop-and-restart', 'per-service'] as const) {
      const after = shop('1.1', '2', [{ fromPattern: '.*', method, services }])
      const { changes } = planOf({ desired: after, live: live(before), applied: before })
      expect(changes.map(({ strategyReason }) => strategyReason)).to.deep.equal([
        'upgrade-from says stop-and-restart',
        'upgrade-from says stop-and-restart',
      ])
    }
  })

  it('A40 stop-and-restart stops all services before one of them starts anew', () => {
    const paths: readonly UpgradePath[] = [
      { fromPattern: '.*', method: 'stop-and-restart', services: { web: anew, api: anew } },
    ]
    expect(planned(before, shop('1.1', '2', paths)).map(({ stages }) => stages)).to.deep.equal([
      [
        'create-container api.1@2',
        'stop-container api.1@1, web.1@1',
        'start-container api.1@2',
        'await-healthy api.1@2',
        'remove-container api.1@1',
      ],
      [
        'create-container web.1@2',
        'stop-container web.1@1, api.1@1',
        'start-container web.1@2',
        'await-healthy web.1@2',
        'remove-container web.1@1',
      ],
    ])
  })
})
