import { expect } from 'chai'
import { describeStep } from '../../../../lib/plan/step/describe.ts'
import { forSwarm } from '../../../../lib/resolve/swarm/for-swarm.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import { desired, live, type ServiceParts } from '../../../support/builders.ts'
import { courseOf, onlyChange, planOf, type Situation } from '../../../support/planning.ts'

const wanted = (parts: ServiceParts) => forSwarm(desired(parts), { endpoint: 'vip', publish: 'ingress' })

/** What a Swarm tells of that. */
function running(state: DesiredState, altered?: string): LiveState {
  const { site, containers } = live(state)
  const runs = { mark: {}, wanted: 2, running: 2, ...(altered === undefined ? {} : { altered }) }
  return { site, containers: containers.map(one => ({ ...one, runs })) }
}

/** What the Swarm has already. */
const networks = ['prod__default']

function way(situation: Pick<Situation, 'desired' | 'live' | 'applied' | 'attempt' | 'networks'>) {
  const change = onlyChange(planOf({ networks, ...situation }))
  const told = (stages: typeof change.stages) => stages.map(stage => stage.map(describeStep).join(', '))
  return {
    how: `${change.action} (${change.cause}: ${change.reason})`,
    stages: told(courseOf(change)),
    undo: told(change.undo),
  }
}

const [one, two] = [wanted({ tag: '1', replicas: 2 }), wanted({ tag: '2', replicas: 2 })]

describe('the rollout of a service of a Swarm', () => {
  it('E21 creates what is absent, and waits until it runs', () => {
    expect(way({ desired: one, live: running(desired()) })).to.deep.equal({
      how: 'create (missing: not deployed yet)',
      stages: ['create-service prod_web', 'await-service prod_web'],
      undo: ['remove-service prod_web'],
    })
  })

  it('G5 gives it another specification, and puts the one before back', () => {
    expect(way({ desired: two, live: running(one), applied: one })).to.deep.equal({
      how: 'replace (diverged: image)',
      stages: ['update-service prod_web', 'await-service prod_web', 'forget-files prod_web'],
      undo: ['restore-service prod_web', 'await-service prod_web'],
    })
  })

  it('D2 undoes what somebody changed, and says what', () => {
    expect(way({ desired: one, live: running(one, 'scaled from 2 to 5'), applied: one })).to.deep.equal({
      how: 'replace (drifted: scaled from 2 to 5)',
      stages: ['update-service prod_web', 'await-service prod_web', 'forget-files prod_web'],
      undo: [],
    })
  })

  it('G5 H22 waits for an update that was begun before a crash, and can undo it', () => {
    expect(way({ desired: two, live: running(two), applied: one, attempt: two })).to.deep.equal({
      how: 'run (diverged: its rollout was interrupted)',
      stages: ['await-service prod_web', 'forget-files prod_web'],
      undo: ['restore-service prod_web'],
    })
  })

  it('D3 removes what is no longer wanted, and then its files', () => {
    expect(way({ desired: wanted({ replicas: 0 }), live: running(one), networks: [] })).to.deep.include({
      stages: ['remove-service prod_web', 'forget-files prod_web'],
      undo: [],
    })
  })

  it('E21 is none where all is as wanted', () => {
    expect(planOf({ networks, desired: one, live: running(one), applied: one }).changes).to.deep.equal([])
  })

  it('G5 puts back what ran before a release that failed, if a crash kept its undo from that', () => {
    const { release } = onlyChange(planOf({ networks, desired: two, live: running(one), applied: one }))
    const { applicationRelease = release } = onlyChange(
      planOf({ networks, desired: two, live: running(one), applied: one }),
    )
    const failed = { release: applicationRelease, reason: 'it failed', sinceMs: 0 }
    const quarantined = new Map([['local/web/web', failed]])
    const change = onlyChange(
      planOf({
        ...{ networks, desired: two, live: running(two), applied: one, attempt: two },
        ...{ phase: 'failed', rules: { quarantined } },
      }),
    )
    expect(change.stages.map(stage => stage.map(describeStep))).to.deep.equal([['restore-service prod_web']])
  })
})
