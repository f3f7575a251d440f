import { expect } from 'chai'
import type { BegunJob } from '../../../../../lib/plan/compare/past.ts'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import type { LiveContainer, LiveState } from '../../../../../lib/state/running/live.ts'
import { desired, live, type ServiceParts } from '../../../../support/builders/builders.ts'
import {
  applicationReleaseOf,
  courseOf,
  onlyChange,
  planOf,
  type Situation,
  told,
} from '../../../../support/builders/planning.ts'

/** What a change from `before` to `after` does, in words. */
function rollout(before: ServiceParts | undefined, after: ServiceParts, parts: Partial<Situation> = {}) {
  const [old, young] = [before && desired(before), desired(after)]
  const there = old === undefined ? live() : live(old)
  const plan = planOf({ desired: young, live: there, ...(old && { applied: old }), ...parts })
  const change = onlyChange(plan)
  const seen = [parts.live ?? there, live(young)]
  return {
    action: change.action,
    jobs: change.jobs,
    stages: told(courseOf(change), ...seen),
    undo: told(change.undo, change, ...seen),
    noReturnAt: change.noReturnAt,
  }
}

/** The container of a job of the rollout to that tag, as the engine lists it. */
function ofJob(stage: string, parts: ServiceParts, more: Partial<LiveContainer> = {}): LiveContainer {
  const change = onlyChange(planOf({ desired: desired(parts), live: live() }))
  for (const step of change.stages.flat())
    if (step.do === 'create-container' && step.placement.role !== 'app' && step.spec.name === stage)
      return {
        ...(live(desired(parts)).containers[0] as LiveContainer),
        engineName: step.container,
        container: stage,
        role: step.placement.role,
        state: 'exited',
        exitCode: 0,
        ...more,
      }
  throw new Error(`no ${stage}`)
}

/** What is on record of a job of the rollout to that tag. */
function begun(stage: string, parts: ServiceParts, isOver = false): BegunJob {
  return { name: ofJob(stage, parts).engineName, begunAtMs: 0, isOver }
}

function and(state: LiveState, ...more: readonly LiveContainer[]): LiveState {
  return { ...state, containers: [...state.containers, ...more] }
}

describe('the jobs of a rollout', () => {
  const all = ['test', 'pre', 'deploy', 'post'] as const

  it('H10 X2 run before the strategy touches anything and after it is done: test, pre, deploy, then new, then post', () => {
    const { jobs, stages, undo } = rollout({ tag: '1' }, { tag: '2', jobs: all })
    expect(jobs).to.deep.equal([
      'test',
      "pre hook (Abort): the image's own command",
      'deploy',
      "post hook (Abort): the image's own command",
    ])
    expect(stages).to.deep.equal([
      'create-container web.test@2, web.pre@2, web.deploy@2, web.post@2',
      'run-to-end web.test@2',
      'run-to-end web.pre@2',
      'run-to-end web.deploy@2',
      'create-container web.1@2',
      'start-container web.1@2',
      'await-healthy web.1@2',
      'stop-container web.1@1',
      'run-to-end web.post@2',
      'remove-container web.1@1',
      'put-away web.test@2, web.pre@2, web.deploy@2',
      'put-away web.post@2',
    ])
    expect(undo).to.deep.equal([
      'put-away web.test@2, web.pre@2, web.deploy@2',
      'put-away web.post@2',
      'start-container web.1@1',
      'await-healthy web.1@1',
      'remove-container web.1@2',
    ])
  })

  it('H10 H20 recreating: pre, old to zero, mid, new to one, then to all, post', () => {
    const strategy = { type: 'recreate' } as const
    const jobs = ['pre', 'mid', 'post'] as const
    const { stages, noReturnAt } = rollout(
      { tag: '1', replicas: 2, strategy },
      { tag: '2', replicas: 2, strategy, jobs },
    )
    expect(stages).to.deep.equal([
      'create-container web.pre@2, web.mid@2, web.post@2',
      'run-to-end web.pre@2',
      'create-container web.1@2, web.2@2',
      'stop-container web.1@1, web.2@1',
      'run-to-end web.mid@2',
      'start-container web.1@2',
      'await-healthy web.1@2',
      'start-container web.2@2',
      'await-healthy web.2@2',
      'run-to-end web.post@2',
      'remove-container web.1@1, web.2@1',
      'put-away web.pre@2, web.mid@2',
      'put-away web.post@2',
    ])
    expect(stages[noReturnAt ?? 0], 'H29 from the mid hook on nothing is put back').to.equal(
      'run-to-end web.mid@2',
    )
  })

  it('H5 run at a first deployment', () => {
    const { stages, undo } = rollout(undefined, { tag: '1', jobs: ['pre', 'post'] })
    expect(stages).to.deep.equal([
      'create-container web.pre@1, web.post@1',
      'run-to-end web.pre@1',
      'create-container web.1@1',
      'start-container web.1@1',
      'await-healthy web.1@1',
      'run-to-end web.post@1',
      'put-away web.pre@1',
      'put-away web.post@1',
    ])
    expect(undo).to.deep.equal(['put-away web.pre@1', 'put-away web.post@1', 'remove-container web.1@1'])
  })

  it('H5 do not run when only the number of instances changes', () => {
    const jobs = ['pre', 'post'] as const
    expect(rollout({ tag: '1', jobs }, { tag: '1', replicas: 2, jobs }).jobs).to.deep.equal([])
    expect(rollout({ tag: '1', replicas: 2, jobs }, { tag: '1', jobs }).jobs).to.deep.equal([])
  })

  it('H5 D9 do not run when drift is repaired', () => {
    const state = desired({ tag: '1', replicas: 2, jobs: ['pre', 'post'] })
    const [first] = live(state).containers
    const gone = { site: 'local', containers: first === undefined ? [] : [first] }
    expect(onlyChange(planOf({ desired: state, live: gone, applied: state })).jobs).to.deep.equal([])
  })

  it('H5 a changed hook alone is no rollout', () => {
    const before = desired({ tag: '1', jobs: ['pre'] })
    const plan = planOf({
      desired: desired({ tag: '1', jobs: ['post'] }),
      live: live(before),
      applied: before,
    })
    expect(plan.changes).to.deep.equal([])
  })

  it('X7 D10 run again when an earlier version comes back', () => {
    const jobs = ['deploy'] as const
    expect(rollout({ tag: '2', jobs }, { tag: '1', jobs }).jobs).to.deep.equal(['deploy'])
  })

  describe('after a crash', () => {
    const jobs = ['pre', 'post'] as const
    const wanted = { tag: '2', jobs }

    it('H22 are found again by their names: what is created and run once more is left as it is', () => {
      const before = desired({ tag: '1' })
      const pre = ofJob('pre', wanted)
      const { stages } = rollout({ tag: '1' }, wanted, { live: and(live(before), pre) })
      expect(stages.slice(0, 2)).to.deep.equal([
        'create-container web.pre@2, web.post@2',
        'run-to-end web.pre@2',
      ])
    })

    it('H22 a rollout is not over before its post hook ran, though all that is wanted runs', () => {
      const begun = [ofJob('pre', wanted), ofJob('post', wanted, { state: 'created' })]
      const plan = planOf({ desired: desired(wanted), live: and(live(desired(wanted)), ...begun) })
      const change = onlyChange(plan)
      expect(change).to.include({ action: 'run', reason: 'its rollout was interrupted' })
      expect(told(courseOf(change), live(desired(wanted)))).to.deep.equal([
        'create-container web.pre@2, web.post@2',
        'run-to-end web.pre@2',
        'await-healthy web.1@2',
        'run-to-end web.post@2',
        'put-away web.pre@2',
        'put-away web.post@2',
      ])
    })

    it('H22 what comes before a job that has ended is not run again, though its container is gone', () => {
      const post = ofJob('post', wanted)
      const there = and(live(desired(wanted)), post)
      const plan = planOf({ desired: desired(wanted), live: there })
      expect(told(courseOf(onlyChange(plan)), and(there, ofJob('pre', wanted)))).to.deep.equal([
        'create-container web.post@2',
        'await-healthy web.1@2',
        'run-to-end web.post@2',
        'put-away web.pre@2',
        'put-away web.post@2',
      ])
    })

    it('H22 none is run again when all of them were put away, but not yet known to be applied', () => {
      const state = desired(wanted)
      const job = begun('post', wanted, true)
      const change = onlyChange(planOf({ desired: state, live: live(state), attempt: state, job }))
      expect(change.jobs).to.deep.equal([])
      expect(told(courseOf(change), live(state))).to.deep.equal(['await-healthy web.1@2'])
    })

    it('H22 one whose container somebody removed before it was over runs again, and none that came before it', () => {
      const state = desired(wanted)
      const gone = { desired: state, live: live(state), attempt: state }
      const steps = (job?: BegunJob) =>
        told(courseOf(onlyChange(planOf({ ...gone, ...(job && { job }) }))), live(state))
      const post = [
        'create-container web.post@2',
        'await-healthy web.1@2',
        'run-to-end web.post@2',
        'put-away web.pre@2',
        'put-away web.post@2',
      ].map(text => text.replace('web.pre@2', 'web.pre@?'))
      expect(steps(begun('post', wanted)), 'post ran').to.deep.equal(post)
      expect(steps(begun('pre', wanted, true)), 'pre was over').to.deep.equal(post)
      const both = ['create-container web.pre@2, web.post@2', 'run-to-end web.pre@2']
      expect(steps(begun('pre', wanted)).slice(0, 2), 'pre ran').to.deep.equal(both)
      expect(steps().slice(0, 2), 'none had begun').to.deep.equal(both)
    })

    it('H22 of one that runs, none that came before is run again, though their containers are gone', () => {
      const there = and(live(desired(wanted)), ofJob('post', wanted, { state: 'running' }))
      const change = onlyChange(planOf({ desired: desired(wanted), live: there }))
      expect(told(change.stages, there)).to.deep.equal([
        'create-container web.post@2',
        'await-healthy web.1@2',
      ])
    })

    it('H22 also where an instance stays that ran before', () => {
      const before = desired({ tag: '1', replicas: 2 })
      const [young, old] = [desired(wanted), desired({ tag: '1' })]
      const both = (state: DesiredState, other: DesiredState): DesiredState => {
        const instances = [state, other].flatMap(one => one.applications[0]?.services[0]?.instances ?? [])
        const applications = state.applications.map(application => ({
          ...application,
          services: application.services.map(service => ({ ...service, instances })),
        }))
        return { ...state, applications }
      }
      const state = both(young, old)
      const job = begun('post', wanted)
      const change = onlyChange(
        planOf({ desired: state, live: live(state), applied: before, attempt: state, job }),
      )
      expect(told(change.finish, live(state))[0]).to.equal('run-to-end web.post@?')
    })

    it('H22 what is on record of a job is about no other attempt, and no other job', () => {
      const [state, before] = [desired(wanted), desired({ tag: '1' })]
      const job = begun('post', wanted, true)
      const there = { desired: state, live: live(before), applied: before, job }
      const jobs = (more: Partial<Situation>) => onlyChange(planOf({ ...there, ...more })).jobs.length
      expect(jobs({ attempt: state, phase: 'failed' })).to.equal(2)
      expect(jobs({ attempt: state, phase: 'ended' })).to.equal(2)
      const corrected = desired({ ...wanted, jobCommand: ['corrected'] })
      expect(jobs({ desired: corrected, attempt: state })).to.equal(2)
      expect(jobs({ attempt: state }), 'it goes on').to.equal(0)
    })

    it('H22 G25 of an attempt from before the record, none is run again once all that is wanted is there', () => {
      const state = desired(wanted)
      const gone = { desired: state, live: live(state), attempt: state, isJobUnknown: true } as const
      const jobs = (more: Partial<Situation> = {}) => onlyChange(planOf({ ...gone, ...more })).jobs.length
      expect(jobs(), 'they were put away').to.equal(0)
      const special = { ...wanted, exclusiveVolume: 'data' } as const
      const bound = desired({ ...special, made: { driver: 'rexray' } })
      const recorded = { desired: bound, live: live(bound), attempt: desired(special) }
      expect(jobs(recorded), 'the release says now how volumes are made').to.equal(0)
      expect(jobs({ live: and(live(state), ofJob('post', wanted)) }), 'one is there').to.equal(2)
      expect(jobs({ live: live() }), 'nothing is there').to.equal(2)
      expect(jobs({ job: begun('pre', wanted) }), 'one is on record since').to.equal(2)
      expect(jobs({ phase: 'failed' }), 'it failed').to.equal(2)
      const corrected = desired({ ...wanted, jobCommand: ['corrected'] })
      expect(jobs({ desired: corrected }), 'they are others').to.equal(2)
    })

    it('H9 what was only left to put away is put away, once the target was applied', () => {
      const state = desired(wanted)
      const there = and(live(state), ofJob('pre', wanted))
      const plan = planOf({ desired: state, live: there, applied: state })
      const change = onlyChange(plan)
      expect(change).to.include({
        action: 'run',
        cause: 'drifted',
        reason: 'left over from an interrupted rollout',
      })
      expect(told(courseOf(change), there)).to.deep.equal(['put-away web.pre@2'])
    })

    it('H9 a failed one that is kept for inspection is no difference', () => {
      const state = desired(wanted)
      const kept = ofJob('pre', wanted, { exitCode: 1 })
      const name = `${kept.engineName}.kept-0a1b2c`
      const plan = planOf({
        desired: state,
        live: and(live(state), { ...kept, engineName: name }),
        applied: state,
      })
      expect(plan.changes).to.deep.equal([])
    })
  })

  describe('of a rollout that is overtaken', () => {
    const old = { tag: '2', jobs: ['pre', 'deploy'] } as const
    const wanted = { tag: '3', jobs: ['deploy'] } as const

    it('H6 a running hook is aborted before the new rollout begins', () => {
      const there = and(live(desired({ tag: '1' })), ofJob('pre', old, { state: 'running' }))
      expect(rollout({ tag: '1' }, wanted, { live: there }).stages.slice(0, 4)).to.deep.equal([
        'abort-hook web.pre@2',
        'put-away web.pre@2',
        'create-container web.deploy@3',
        'run-to-end web.deploy@3',
      ])
    })

    it('P5 P7 X1 a running deploy is waited for, and its result discarded', () => {
      const there = and(live(desired({ tag: '1' })), ofJob('deploy', old, { state: 'running' }))
      expect(rollout({ tag: '1' }, wanted, { live: there }).stages.slice(0, 4)).to.deep.equal([
        'await-end web.deploy@2',
        'put-away web.deploy@2',
        'create-container web.deploy@3',
        'run-to-end web.deploy@3',
      ])
    })

    it('H6 also by the revert to what runs: nothing else is to be done then', () => {
      const before = desired({ tag: '1' })
      const there = and(live(before), ofJob('pre', old, { state: 'running' }))
      const change = onlyChange(planOf({ desired: before, live: there, applied: before }))
      expect(told(courseOf(change), there)).to.deep.equal(['abort-hook web.pre@2', 'put-away web.pre@2'])
    })
  })

  describe('of which a commit corrects one', () => {
    const [old, wanted] = [
      { tag: '2', jobs: ['mid', 'post'], strategy: { type: 'recreate' } },
      { tag: '2', jobs: ['mid', 'post'], strategy: { type: 'recreate' }, jobCommand: ['corrected'] },
    ] as const

    it('H22 D18 a job that does something else is another one, though all else is the same', () => {
      const there = and(live(desired({ tag: '1' })), ofJob('mid', old, { exitCode: 3 }), ofJob('post', old))
      const { stages } = rollout({ tag: '1' }, wanted, { live: there })
      expect(stages.slice(0, 2)).to.deep.equal([
        'put-away web.mid@2, web.post@2',
        'create-container web.mid@2, web.post@2',
      ])
      expect(stages, 'the corrected mid hook runs').to.include('run-to-end web.mid@2')
    })

    it('H6 D18 one that still runs is aborted, and the corrected one runs', () => {
      const there = and(live(desired({ tag: '1' })), ofJob('mid', old, { state: 'running' }))
      const { stages } = rollout({ tag: '1' }, wanted, { live: there, attempt: desired(old) })
      expect(stages.slice(0, 3)).to.deep.equal([
        'abort-hook web.mid@2',
        'put-away web.mid@2',
        'create-container web.mid@2, web.post@2',
      ])
    })
  })

  describe('of a try that has ended', () => {
    const wanted = { tag: '2', jobs: ['mid'], strategy: { type: 'recreate' } } as const
    const there = and(live(desired({ tag: '1' })), ofJob('mid', wanted, { exitCode: 3 }))
    for (const phase of ['failed', 'ended'] as const)
      it(`H29 D18 says nothing about the next one, whose jobs all run anew (${phase})`, () => {
        const { stages } = rollout({ tag: '1' }, wanted, { live: there, attempt: desired(wanted), phase })
        expect(stages.slice(0, 5)).to.deep.equal([
          'put-away web.mid@2',
          'create-container web.mid@2',
          'create-container web.1@2',
          'stop-container web.1@1',
          'run-to-end web.mid@2',
        ])
      })

    it('H10 H29 stops what an attempt started that failed after the hook, before that runs again, and says so', () => {
      const old = live(desired({ tag: '1' })).containers
      const stopped = old.map(one => ({ ...one, state: 'exited' as const, exitCode: 0 }))
      const young = { ...wanted, replicas: 2 } as const
      const runs = live(desired(young))
      const lost = { attempt: desired(young), phase: 'failed', noReturn: true } as const
      const beside = rollout({ tag: '1' }, young, { live: and(runs, ...stopped), ...lost })
      expect(beside.stages.slice(0, 6)).to.deep.equal([
        'create-container web.mid@2',
        'stop-container web.1@2, web.2@2',
        'run-to-end web.mid@2',
        'start-container web.1@2, web.2@2',
        'await-healthy web.1@2, web.2@2',
        'remove-container web.1@1',
      ])
      const alone = { desired: desired(young), live: runs, ...lost }
      const change = onlyChange(planOf(alone))
      expect(told(change.stages, runs)).to.deep.equal(beside.stages.slice(0, 5))
      expect(change.lines).to.deep.equal(
        ['web.1', 'web.2'].map(name => ({ sign: '~', name, reason: 'runs, and stops for the mid hook' })),
      )
      expect(change).to.include({ noReturnAt: 0, downtime: true, strategy: 'recreate' })
    })

    it('H29 D18 and a correction that fails, too, starts no old version: the mid hook has run', () => {
      const before = desired({ tag: '1', strategy: { type: 'recreate' } })
      const stopped = live(before).containers.map(one => ({ ...one, state: 'exited' as const, exitCode: 0 }))
      for (const type of ['recreate', 'rolling'] as const)
        for (const tag of ['3', '1']) {
          const change = onlyChange(
            planOf({
              desired: desired({ tag, strategy: { type } }),
              live: and({ site: 'local', containers: stopped }, ...live(desired({ tag: '2' })).containers),
              applied: before,
              attempt: desired(wanted),
              phase: 'failed',
              noReturn: true,
            }),
          )
          expect([change.action, change.noReturnAt], `${type} to ${tag}`).to.deep.equal(['replace', 0])
        }
    })

    it('H22 is gone on with while it has no end: what failed meanwhile is judged, and not run again', () => {
      const { stages } = rollout({ tag: '1' }, wanted, { live: there, attempt: desired(wanted) })
      expect(stages).not.to.include('put-away web.mid@2, web.mid@2')
      expect(stages.slice(0, 2)).to.deep.equal(['create-container web.mid@2', 'create-container web.1@2'])
    })
  })

  describe('with a mid hook, where nothing old is left', () => {
    const strategy = { type: 'recreate' } as const
    const [before, wanted] = [
      desired({ tag: '1', strategy }),
      { tag: '2', jobs: ['pre', 'mid'], strategy } as const,
    ]
    const state = desired(wanted)
    const created = live(state).containers.map(one => ({
      ...one,
      state: 'created' as const,
      health: 'none' as const,
    }))
    const half = { site: 'local', containers: created }

    /** The stage from which on nothing is undone. */
    const noReturn = (situation: Partial<Situation>) => {
      const { stages, noReturnAt } = onlyChange(planOf({ desired: state, live: live(), ...situation }))
      return noReturnAt === undefined ? 'none' : told(stages, live(state))[noReturnAt]
    }

    it('H29 nothing is undone from the hook on: the old version is known, and would be made anew', () => {
      expect(noReturn({ applied: before })).to.equal('run-to-end web.mid@2')
      expect(noReturn({ applied: before, live: half, attempt: state }), 'gone on with').to.equal(
        'run-to-end web.mid@2',
      )
    })

    it('H29 nor is a correction after the hook, whoever removed what ran', () => {
      const lost = { applied: before, attempt: state, phase: 'failed', noReturn: true } as const
      const corrected = desired({ tag: '3', strategy })
      const ofCorrection = (more: Partial<Situation>) =>
        onlyChange(planOf({ desired: corrected, live: live(), ...lost, ...more })).noReturnAt
      expect(ofCorrection({})).to.equal(0)
      const halfOf = live(corrected).containers.map(one => ({
        ...one,
        state: 'exited' as const,
        exitCode: 1,
      }))
      expect(ofCorrection({ live: { site: 'local', containers: halfOf } })).to.equal(0)
    })

    it('H29 nor is what goes on once the hook began, whoever removed its container', () => {
      const gone = { applied: before, live: half, attempt: state, job: begun('mid', wanted, true) }
      const change = onlyChange(planOf({ desired: state, ...gone, noReturn: true }))
      expect([change.noReturnAt, told(change.stages, live(state))[0]]).to.deep.equal([
        0,
        'create-container web.1@2',
      ])
    })

    it('G6 a first installation is undone: there is no old version', () => {
      expect(noReturn({})).to.equal('none')
      expect(noReturn({ live: and(half, ofJob('mid', wanted)), attempt: state })).to.equal('none')
    })

    it('G6 H29 one whose hook a commit corrects is undone, too, with all that it started', () => {
      const corrected = { ...wanted, jobCommand: ['corrected'] }
      const there = and(live(state), ofJob('mid', wanted))
      const change = onlyChange(planOf({ desired: desired(corrected), live: there, attempt: state }))
      expect(change.noReturnAt).to.equal(undefined)
      expect(told(change.stages, there)).to.include.members([
        'stop-container web.1@2',
        'run-to-end web.mid@2',
      ])
      expect(told(change.undo, change, there).at(-1)).to.equal('remove-container web.1@2')
      const other = onlyChange(
        planOf({ desired: desired({ ...wanted, tag: '3' }), live: there, attempt: state }),
      )
      expect(other.noReturnAt, 'another version is not put back on the data of the next').to.equal(0)
      const unknown = onlyChange(planOf({ desired: desired(corrected), live: there }))
      expect(told(unknown.stages, there)[unknown.noReturnAt ?? 0], 'nobody knows who made it').to.equal(
        'run-to-end web.mid@2',
      )
    })
  })

  describe('that failed', () => {
    const wanted = { tag: '2', jobs: ['deploy'] } as const
    const digest = `sha256:${'2'.repeat(64)}`

    it('P6 a version whose deploy failed is barred, whatever else changes', () => {
      for (const service of ['web', ''])
        expect(
          heldBy(`local/web/${service}/${digest}`),
          service || 'on record without a service',
        ).to.deep.equal({
          code: 'barred',
          reason: 'its deploy failed before',
          sinceMs: 1,
        })
      expect(heldBy(`local/web/admin/${digest}`), 'that of another service').to.equal(undefined)
    })

    const heldBy = (name: string) => {
      const barred = new Map([[name, { reason: 'its deploy failed before', sinceMs: 1 }]])
      const state = desired({ ...wanted, env: { OTHER: 'now' } })
      const change = onlyChange(
        planOf({
          desired: state,
          live: live(desired({ tag: '1' })),
          applied: desired({ tag: '1' }),
          rules: { barred },
        }),
      )
      return change.held
    }

    it('H29 nothing is put back after a rollout that failed after its mid hook', () => {
      const strategy = { type: 'recreate' } as const
      const state = desired({ tag: '2', strategy, jobs: ['mid'] })
      const before = desired({ tag: '1', strategy })
      const stopped = live(before).containers.map(one => ({ ...one, state: 'exited' as const, exitCode: 0 }))
      const quarantined = new Map([
        [
          'local/web/web',
          { release: applicationReleaseOf(state, 'web'), reason: 'failed', sinceMs: 1, isFinal: true },
        ],
      ])
      const change = onlyChange(
        planOf({
          desired: state,
          live: { site: 'local', containers: stopped },
          applied: before,
          rules: { quarantined },
        }),
      )
      expect(change.held).to.deep.equal({ code: 'quarantined', reason: 'failed', sinceMs: 1, isFinal: true })
    })
  })
})

describe('an instance of several containers', () => {
  const parts = { tag: '1', init: 'setup', beside: ['log'] } as const

  it('C50 is created, started, stopped and removed with its sandbox around it, init containers first', () => {
    expect(rollout({ ...parts }, { ...parts, tag: '2' }).stages).to.deep.equal([
      'create-container web.1@2',
      'create-container web.1@2.setup, web.1@2.web, web.1@2.log',
      'start-container web.1@2',
      'run-to-end web.1@2.setup',
      'start-container web.1@2.web, web.1@2.log',
      'await-healthy web.1@2, web.1@2.web, web.1@2.log',
      'stop-container web.1@1.web, web.1@1.log',
      'stop-container web.1@1',
      'remove-container web.1@1.setup, web.1@1.web, web.1@1.log',
      'remove-container web.1@1',
    ])
  })

  const state = desired(parts)
  const there = live(state)
  const having = (name: string, more: Partial<LiveContainer>): LiveState => ({
    ...there,
    containers: there.containers.map(one => (one.container === name ? { ...one, ...more } : one)),
  })
  const repair = (from: LiveState) => {
    const change = onlyChange(planOf({ desired: state, live: from, applied: state }))
    return { reason: change.reason, stages: told(courseOf(change), there) }
  }

  it('A44 a container that stopped is started alone', () => {
    expect(repair(having('log', { state: 'exited', exitCode: 3 }))).to.deep.equal({
      reason: 'stopped (exit code 3)',
      stages: [
        'start-container web.1@1.log',
        'await-healthy web.1@1, web.1@1.setup, web.1@1.web, web.1@1.log',
      ].map(text => text.replace('web.1@1.setup, ', '')),
    })
  })

  it('X5 a dead sandbox starts the whole instance again, its init containers too', () => {
    const dead = there.containers.map(one => ({
      ...one,
      state: 'exited' as const,
      exitCode: one.role === 'init' ? 0 : 137,
    }))
    expect(repair({ ...there, containers: dead }).stages.slice(0, 3)).to.deep.equal([
      'start-container web.1@1',
      'run-to-end web.1@1.setup',
      'start-container web.1@1.web, web.1@1.log',
    ])
  })

  it('X5 what was cut off by a restart of its sandbox is stopped and started again', () => {
    expect(repair(having('web', { isCutOff: true }))).to.deep.equal({
      reason: 'its sandbox was started again without it',
      stages: [
        'stop-container web.1@1.web, web.1@1.log',
        'start-container web.1@1',
        'run-to-end web.1@1.setup',
        'start-container web.1@1.web, web.1@1.log',
        'await-healthy web.1@1, web.1@1.web, web.1@1.log',
      ],
    })
  })

  it('X5 a paused container is stopped before all of it is started again, because it cannot be started', () => {
    const containers = there.containers.map((one): LiveContainer => {
      if (one.role === 'init') return one
      return one.container === 'web'
        ? { ...one, state: 'paused' }
        : { ...one, state: 'exited', exitCode: 137 }
    })
    expect(repair({ ...there, containers }).stages.slice(0, 3)).to.deep.equal([
      'stop-container web.1@1.web',
      'start-container web.1@1',
      'run-to-end web.1@1.setup',
    ])
  })

  /** Of each init container that a change runs, whether it did its work before. */
  const initOf = (from: LiveState) =>
    onlyChange(planOf({ desired: state, live: from, applied: state }))
      .stages.flat()
      .flatMap(step => (step.do === 'run-to-end' ? [step.again === true] : []))

  it('C50 an init container that has not done its work does it, and nothing that runs is stopped for that', () => {
    const from = having('setup', { state: 'exited', exitCode: 1 })
    expect(repair(from).stages).to.deep.equal([
      'start-container web.1@1',
      'run-to-end web.1@1.setup',
      'start-container web.1@1.web, web.1@1.log',
      'await-healthy web.1@1, web.1@1.web, web.1@1.log',
    ])
    expect(initOf(from), 'it goes on from where it is').to.deep.equal([false])
  })

  it('C50 X5 init containers run again where their sandbox died, and not where it was never started', () => {
    expect(initOf(having('sandbox', { state: 'exited', exitCode: 137 }))).to.deep.equal([true])
    const created = there.containers.map(one => ({ ...one, state: 'created' as const }))
    expect(initOf({ ...there, containers: created })).to.deep.equal([false])
  })

  it('A44 a container that its liveness probe gave up is started again, and no other', () => {
    const ill = {
      ...there,
      containers: there.containers.map(one => ({
        ...one,
        startedAtMs: 1_000_000,
        ...(one.role === 'sandbox'
          ? { health: 'unhealthy' as const, checkOutput: 'restart web 1001 liveness: connection refused' }
          : {}),
      })),
    }
    expect(repair(ill)).to.deep.equal({
      reason: 'not alive',
      stages: ['restart-container web.1@1.web'],
    })
  })

  it('A44 a report from before its last start was heeded already', () => {
    const ill = {
      ...there,
      containers: there.containers.map(one => ({
        ...one,
        startedAtMs: 1_002_000,
        ...(one.role === 'sandbox'
          ? { health: 'unhealthy' as const, checkOutput: 'restart web 1001 liveness: connection refused' }
          : {}),
      })),
    }
    expect(planOf({ desired: state, live: ill, applied: state }).changes).to.deep.equal([])
  })
})
