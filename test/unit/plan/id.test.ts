import { expect } from 'chai'
import { planId } from '../../../lib/plan/id.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import {
  application,
  change,
  changed,
  container,
  desired,
  instance,
  live,
  type ServiceParts,
  service,
} from '../../support/builders/builders.ts'
import { applicationReleaseOf, planOf, type Situation } from '../../support/builders/planning.ts'

const before = live(desired({ tag: '1', replicas: 2 }))
const situation: Situation = { desired: desired({ tag: '2', replicas: 2 }), live: before }

function idOf(parts: Partial<Situation> = {}): string {
  return planOf({ ...situation, ...parts }).id
}

function atRevision(parts: Partial<DesiredState['revision']>): DesiredState {
  const { desired } = situation
  return { ...desired, revision: { ...desired.revision, ...parts } }
}

function wanting(parts: ServiceParts): Partial<Situation> {
  return { desired: desired({ tag: '2', replicas: 2, ...parts }) }
}

describe('the id of a plan', () => {
  it('G8 is the same for the same states', () => {
    expect(idOf()).to.equal(idOf())
    expect(idOf()).to.match(/^[0-9a-f]{16}$/)
  })

  it('D4 does not depend on who committed what when', () => {
    expect(idOf({ desired: atRevision({ commit: 'beef', ref: 'v2' }) })).to.equal(idOf())
    expect(
      idOf({ desired: atRevision({ author: 'Bob', subject: 'Again', time: '2027-01-01T00:00:00Z' }) }),
    ).to.equal(idOf())
  })

  it('D4 does not depend on how long something has been running, or in what order the engine lists it', () => {
    const later = changed(before, 'web.1', { status: 'Up 6 minutes' })
    expect(idOf({ live: { ...later, containers: [...later.containers].reverse() } })).to.equal(idOf())
  })

  it('D4 A44 does not depend on what a probe prints, which may be another text at each look', () => {
    const web = { ...container(), liveness: 'command' as const }
    const state = desired(
      application('web', [{ ...service(), instances: [{ ...instance(), containers: [web] }] }]),
    )
    const planAfter = (checkOutput: string) => {
      const there = changed(live(state), 'web.1', { health: 'unhealthy', checkOutput })
      return planOf({ desired: state, live: there, applied: state })
    }
    const [early, late] = [planAfter('12:00:01 timed out'), planAfter('12:00:31 timed out')]
    expect(early.changes[0]?.lines).to.deep.equal([
      { sign: '~', name: 'web.1', reason: 'not alive', said: '12:00:01 timed out' },
    ])
    expect(late.id).to.equal(early.id)
  })

  it('G24 reads a definition once, however many sites get it', () => {
    let reads = 0
    const network = {
      get name() {
        reads += 1
        return 'prod'
      },
    }
    const stages = [[{ do: 'create-network' as const, network }]]
    const idOn = (site: string) => planId({ environment: 'prod', changes: [change({ site, stages })] })
    expect(idOn('north')).not.to.equal(idOn('south'))
    expect(reads).to.equal(1)
  })

  const others: readonly (readonly [string, Partial<Situation>])[] = [
    ['another image', wanting({ tag: '3' })],
    ['another number of instances', wanting({ replicas: 3 })],
    ['another variable', wanting({ env: { LEVEL: 'debug' } })],
    ['another port', wanting({ hostPort: 80 })],
    ['another network', wanting({ network: 'other' })],
    ['another strategy', wanting({ strategy: { type: 'recreate' } })],
    ['another pace', wanting({ strategy: { maxSurge: 2 } })],
    ['another health gate', wanting({ strategy: { healthyMs: 2_000 } })],
    [
      'another version',
      { desired: desired(application('web', [service({ tag: '2', replicas: 2 })], { version: '2.0.0' })) },
    ],
    ['another environment', { desired: { ...situation.desired, environment: 'devel' } }],
    ['other instances that run', { live: live(desired({ tag: '0', replicas: 2 })) }],
    ['one that was stopped', { live: changed(before, 'web.1', { state: 'exited', exitCode: 0 }) }],
    ['another site', { live: { ...before, site: 'store-1' } }],
    ['a network that is not there', { networks: [] }],
    ['another cause', { applied: situation.desired }],
    [
      'a quarantine',
      {
        rules: {
          quarantined: new Map([
            [
              'local/web/web',
              { release: applicationReleaseOf(situation.desired, 'web'), reason: '', sinceMs: 0 },
            ],
          ]),
        },
      },
    ],
  ]
  for (const [what, parts] of others) {
    it(`G8 is another one with ${what}`, () => {
      expect(idOf(parts)).not.to.equal(idOf())
    })
  }

  it('G8 is not another one because something has been held for longer, or for a reason in other words', () => {
    const held = (reason: string, sinceMs: number) =>
      idOf({ rules: { suspended: new Map([['*', { reason, sinceMs }]]) } })
    expect(held('freeze', 1)).to.equal(held('still frozen', 2))
  })

  it('G8 G25 is that which an earlier version told of a rollout with hooks: it did not say where they belong', () => {
    const run = { do: 'run-to-end', container: 'prod.web.pre.0123abcd', onFailure: 'abort' } as const
    const idWith = (step: Step) =>
      planId({ environment: 'prod', changes: [change({ stages: [[step]], finish: [[step]] })] })
    expect(idWith({ ...run, job: 'pre' })).to.equal(idWith(run))
    expect(idWith({ ...run, job: 'pre', onFailure: 'retry' })).not.to.equal(idWith(run))
  })

  it('G8 A33 is not another one because the deployment that a version waits for was stopped, or goes on', () => {
    const waiting = (code: 'not-its-turn' | 'deployment-stopped') =>
      planId({ environment: 'prod', changes: [change({ held: { code, reason: '' } })] })
    expect(waiting('deployment-stopped')).to.equal(waiting('not-its-turn'))
    expect(waiting('not-its-turn')).not.to.equal(planId({ environment: 'prod', changes: [change()] }))
  })
})
