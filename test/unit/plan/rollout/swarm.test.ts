import { expect } from 'chai'
import { hasStopped } from '../../../../lib/apply/has-stopped.ts'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { describeStep } from '../../../../lib/plan/step/describe.ts'
import { isMaking, nameOfMade } from '../../../../lib/plan/step/making.ts'
import { stepsOf } from '../../../../lib/plan/step/step.ts'
import { renderPlan } from '../../../../lib/plan/text/render.ts'
import { forSwarm } from '../../../../lib/resolve/swarm/for-swarm.ts'
import type { Strategy, UpgradePath } from '../../../../lib/state/application/application.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import type { LiveContainer, LiveState } from '../../../../lib/state/running/live.ts'
import { application, desired, live, type ServiceParts, service } from '../../../support/builders/builders.ts'
import { courseOf, onlyChange, planOf, type Situation } from '../../../support/builders/planning.ts'

const usual = { endpoint: 'vip', publish: 'ingress' } as const
const wanted = (parts: ServiceParts) => forSwarm(desired(parts), usual)

/** What a Swarm tells of that. */
function running(state: DesiredState, altered?: string): LiveState {
  const { site, containers } = live(state)
  const replicas = state.applications[0]?.services[0]?.instances[0]?.runs?.replicas ?? 2
  const runs = { mark: {}, replicas, wanted: 2, running: 2, ...(altered === undefined ? {} : { altered }) }
  return { site, containers: containers.map(one => ({ ...one, runs })) }
}

/** What the Swarm has already. */
const networks = ['prod__default']

function way(situation: Situation) {
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

  it('D18 G5 has stopped nothing where tasks start first or the manager refuses, and may have where tasks stop first', () => {
    const stopped = (to: DesiredState) => {
      const { stages } = onlyChange(planOf({ networks, desired: to, live: running(one), applied: one }))
      return stages.map((_, at) => hasStopped(stages, at))
    }
    expect(stopped(two)).to.deep.equal([false, false])
    const stopFirst = { maxSurge: 0, maxUnavailable: 1 }
    expect(stopped(wanted({ tag: '2', replicas: 2, strategy: stopFirst }))).to.deep.equal([false, true])
    const [young, stops] = [
      wanted({ tag: '2', replicas: 2, jobs: ['mid'], strategy: { type: 'recreate' } }),
      1,
    ]
    const recreate = onlyChange(planOf({ networks, desired: young, live: running(one), applied: one })).stages
    expect(recreate[stops]?.map(describeStep), 'it may stop some').to.deep.equal(['stop-service prod_web'])
    expect(recreate.map((_, at) => hasStopped(recreate, at)).indexOf(true)).to.equal(stops)
  })

  it('G1 G21 looks first for an image that the service did not have, and for none where what it had is repaired', () => {
    const looksFor = (situation: Situation) => {
      const { prepare } = onlyChange(planOf({ networks, ...situation }))
      return stepsOf(prepare, 'find-image').map(({ reference }) => reference)
    }
    const [more, gone] = [wanted({ tag: '1', replicas: 3 }), running(desired())]
    expect(looksFor({ desired: one, live: gone }), 'it is new').to.deep.equal(['example.com/web:1'])
    expect(looksFor({ desired: two, live: running(one), applied: one })).to.deep.equal(['example.com/web:2'])
    expect(looksFor({ desired: more, live: running(one), applied: one }), 'it is scaled').to.deep.equal([])
    expect(looksFor({ desired: one, live: gone, applied: one }), 'it was removed').to.deep.equal([])
  })

  it('D18 leaves an update alone that the Swarm has paused and nothing of ours is in the middle of', () => {
    const { site, containers } = running(one)
    const paused = { mark: {}, replicas: 2, wanted: 2, running: 1, update: 'paused' } as const
    const seen = { site, containers: containers.map(each => ({ ...each, runs: paused })) }
    expect(planOf({ networks, desired: one, live: seen, applied: one }).changes).to.deep.equal([])
  })

  it('H5 G5 scales without a rollout, so that no hook runs, and scales back if that fails', () => {
    const parts = { tag: '1', jobs: ['pre'] } as const
    const [few, many] = [wanted({ ...parts, replicas: 2 }), wanted({ ...parts, replicas: 3 })]
    const scaling = { desired: many, live: running(few), applied: few }
    expect(way(scaling)).to.deep.equal({
      how: 'scale (diverged: scaled from 2 tasks to 3)',
      stages: ['update-service prod_web', 'await-service prod_web', 'forget-files prod_web'],
      undo: ['restore-service prod_web', 'await-service prod_web'],
    })
    const [restore] = onlyChange(planOf({ networks, ...scaling })).undo.flat()
    expect(restore).to.deep.include({ do: 'restore-service', replicas: 2 })
    expect(way({ ...scaling, live: running(many), attempt: many }), 'after a crash').to.deep.equal({
      how: 'run (diverged: its rollout was interrupted)',
      stages: ['await-service prod_web', 'forget-files prod_web'],
      undo: [],
    })
  })

  it('H5 is none where only the pace of updates would be another', () => {
    const slow = { maxSurge: 1, maxUnavailable: 1, healthyMs: 60_000 }
    const [fast, slower] = [wanted({ replicas: 8 }), wanted({ replicas: 8, strategy: slow })]
    expect(planOf({ networks, desired: slower, live: running(fast), applied: fast }).changes).to.deep.equal(
      [],
    )
  })

  it('D2 G7 gives a service that somebody scaled by hand its number back, and replaces nothing', () => {
    const three = wanted({ tag: '1', replicas: 3 })
    expect(way({ desired: one, live: running(three), applied: one })).to.deep.equal({
      how: 'scale (drifted: scaled from 3 tasks to 2, because somebody scaled it by hand)',
      stages: ['update-service prod_web', 'await-service prod_web', 'forget-files prod_web'],
      undo: [],
    })
  })

  it('D2 D18 says of what an attempt has scaled that has not ended that it is scaled, and not by whom', () => {
    const [none, other] = [wanted({ tag: '1', replicas: 0 }), wanted({ tag: '3', replicas: 2 })]
    const { containers, ...live } = running(one)
    const runs = { mark: {}, replicas: 0, wanted: 0, running: 0 }
    const asleep = { ...live, containers: containers.map(each => ({ ...each, runs })) }
    expect(way({ desired: one, live: asleep, applied: one, attempt: none }).how).to.equal(
      'scale (drifted: scaled from 0 tasks to 2)',
    )
    expect(way({ desired: one, live: asleep, applied: one, attempt: other }).how).to.equal(
      'scale (drifted: scaled from 0 tasks to 2)',
    )
  })

  it('G7 says what is scaled from how many tasks to how many, and nothing of a replacement', () => {
    const shown = (from: number, to: number) => {
      const [few, many] = [wanted({ replicas: from }), wanted({ replicas: to })]
      const text = printed(
        renderPlan(planOf({ networks, desired: many, live: running(few), applied: few })),
        false,
      )
      return text.slice(text.indexOf('web')).trimEnd().split('\n')
    }
    const plan = 'Plan: 0 to create, 0 to replace, 0 to remove, 1 to scale.'
    expect(shown(1, 3)).to.deep.equal(['web', '    ~ web  scaled from 1 task to 3', '', plan])
    expect(shown(3, 1)).to.deep.equal(['web', '    ~ web  scaled from 3 tasks to 1', '', plan])
  })

  it('D15 starts nothing by itself of a service of which it is unknown what it was made from', () => {
    const seen = running(one)
    const stopped = seen.containers.map(each => ({ ...each, state: 'exited' as const }))
    const live = { ...seen, containers: stopped }
    const situation = { desired: two, applied: one, readAgain: desired(), stuck: ['local/web/web'] }
    expect(
      onlyChange(planOf({ networks, live, ...situation }))
        .stages.flat()
        .map(describeStep),
    ).to.deep.equal(['update-service prod_web', 'await-service prod_web'])
  })

  /** With one task on each node. */
  function everywhere(parts: ServiceParts): DesiredState {
    const web = desired(parts)
    const applications = web.applications.map(app => ({
      ...app,
      services: app.services.map(one => ({ ...one, isGlobal: true as const })),
    }))
    return forSwarm({ ...web, applications }, usual)
  }

  it('G13 G6 is down where all tasks stop first, and rolls where some do or each starts first', () => {
    const told = (strategy: NonNullable<ServiceParts['strategy']>) => {
      const young = wanted({ tag: '2', replicas: 2, strategy })
      const { strategy: how, downtime } = onlyChange(
        planOf({ networks, desired: young, live: running(one), applied: one }),
      )
      return `${how}, ${downtime ? 'down' : 'not down'}`
    }
    expect(told({ maxSurge: 0, maxUnavailable: 2 })).to.equal('recreate, down')
    expect(told({ maxSurge: 0, maxUnavailable: 1 })).to.equal('rolling, not down')
    expect(told({ maxSurge: 2, maxUnavailable: 0 })).to.equal('rolling, not down')
  })

  it('G5 H29 puts nothing back of what ran on each node and was stopped, because it was removed for that', () => {
    const old = everywhere({ tag: '1' })
    const young = (...jobs: readonly 'mid'[]) =>
      everywhere({ tag: '2', jobs, strategy: jobs.length > 0 ? { type: 'recreate' } : {} })
    const undo = (to: DesiredState) => way({ desired: to, live: running(old), applied: old }).undo
    expect(undo(young())).to.deep.equal(['restore-service prod_web', 'await-service prod_web'])
    expect(undo(young('mid')).filter(stage => !stage.startsWith('put-away'))).to.deep.equal([])
  })

  it('G13 makes a service anew that is to run on each node, and says that this is not undone', () => {
    const situation = { desired: everywhere({ tag: '1', replicas: 2 }), live: running(one), applied: one }
    expect(way(situation)).to.deep.include({
      stages: [
        ...['remove-service prod_web', 'create-service prod_web', 'await-service prod_web'],
        'forget-files prod_web',
      ],
      undo: [],
    })
    expect(onlyChange(planOf({ networks, ...situation }))).to.deep.include({ downtime: true })
  })

  it('A40 stops every service of the application first where its upgrade path says so, and each gets its tasks back', () => {
    const state = (version: string, tag: string, method: UpgradePath['method']) => {
      const services = ['a', 'b'].map(name => service({ name, tag, replicas: 4 }))
      const type = method === 'per-service' ? 'rolling' : 'recreate'
      const strategy = { ...services[0]?.strategy, type, maxSurge: 0, maxUnavailable: 3 } as Strategy
      const upgrades: readonly UpgradePath[] = [
        { fromPattern: '.', method, services: { a: strategy, b: strategy } },
      ]
      return forSwarm(desired({ ...application('shop', services), version, upgrades }), usual)
    }
    const changes = (method: UpgradePath['method']) => {
      const [before, after] = [state('1', '1', method), state('2', '2', method)]
      return planOf({ networks, desired: after, live: running(before), applied: before }).changes
    }
    const [a] = changes('stop-and-restart')
    expect(a?.stages.map(stage => stage.map(describeStep).join(', '))).to.deep.equal([
      'stop-service prod_shop_a, stop-service prod_shop_b',
      ...['update-service prod_shop_a', 'await-service prod_shop_a'],
    ])
    expect(a?.undo.flat()[0]).to.deep.include({ do: 'restore-service', service: 'prod_shop_a', replicas: 4 })
    const [update] = changes('per-service')[0]?.stages.flat() ?? []
    expect(update?.do === 'update-service' && update.placement.runs.update).to.deep.include({
      ...{ order: 'stop-first', parallelism: 3 },
    })
  })

  it('D2 undoes what somebody changed, and says what', () => {
    const changed = 'variables changed by hand'
    expect(way({ desired: one, live: running(one, changed), applied: one })).to.deep.equal({
      how: `replace (drifted: ${changed})`,
      stages: ['update-service prod_web', 'await-service prod_web', 'forget-files prod_web'],
      undo: [],
    })
    const three = wanted({ tag: '1', replicas: 3 })
    expect(way({ desired: one, live: running(three, changed), applied: one }).how).to.equal(
      `replace (drifted: ${changed}, scaled from 3 tasks to 2)`,
    )
  })

  it('G5 H22 waits for an update that was begun before a crash, and can undo it', () => {
    expect(way({ desired: two, live: running(two), applied: one, attempt: two })).to.deep.equal({
      how: 'run (diverged: its rollout was interrupted)',
      stages: ['await-service prod_web', 'forget-files prod_web'],
      undo: ['restore-service prod_web', 'await-service prod_web'],
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
    expect(change.stages.flat().map(describeStep), 'and waits until it runs').to.deep.equal([
      ...['restore-service prod_web', 'await-service prod_web'],
    ])
    expect(change.stages.flat()[1], 'and what failed has ended').to.deep.include({ untilEnded: true })
  })

  it('H29 gives a service its tasks back that was stopped when the process ended, also if its release fails later', () => {
    const young = wanted({ tag: '2', replicas: 2, jobs: ['mid'], strategy: { type: 'recreate' } })
    const { site, containers } = running(one)
    const runs = { mark: {}, replicas: 0, wanted: 0, running: 0 }
    const asleep = { site, containers: containers.map(container => ({ ...container, runs })) }
    const situation = { networks, desired: young, live: asleep, applied: one, attempt: young }
    const going = onlyChange(planOf(situation))
    const [, [restore] = []] = going.undo
    expect(restore).to.deep.include({ do: 'restore-service', replicas: 2 })
    const failed = { release: going.applicationRelease ?? '', reason: 'it failed', sinceMs: 0 }
    const change = onlyChange(
      planOf({ ...situation, phase: 'failed', rules: { quarantined: new Map([['local/web/web', failed]]) } }),
    )
    expect(change.stages.flat().map(describeStep)).to.deep.equal([
      ...['restore-service prod_web', 'await-service prod_web'],
    ])
    expect(change.stages.flat()[0]).to.deep.include({ replicas: 2 })
    expect(change.stages.flat()[1]).to.deep.include({ untilEnded: true })
  })

  describe('with hooks and phases', () => {
    const all = ['test', 'pre', 'deploy', 'post'] as const
    const [old, young] = [wanted({ tag: '1', replicas: 2 }), wanted({ tag: '2', replicas: 2, jobs: all })]
    /** Names of jobs end with what they do. */
    const short = (stages: readonly string[]) => stages.map(stage => stage.replaceAll(/_[0-9a-f]{8}\b/g, ''))
    const made = ['test', 'pre', 'deploy', 'post'].map(stage => `create-job prod_web_${stage}`).join(', ')
    const away = [
      'put-away prod_web_test, put-away prod_web_pre, put-away prod_web_deploy',
      'put-away prod_web_post',
    ]

    /** A job of the rollout to `young`, as the Swarm shows it. */
    function ofJob(stage: string, more: Partial<LiveContainer>): LiveContainer {
      const change = onlyChange(planOf({ networks, desired: young, live: running(old), applied: old }))
      const [step] = change.stages
        .flat()
        .filter(isMaking)
        .filter(({ spec }) => spec.name === stage)
      const { containers } = live(young)
      const [like] = containers
      if (step === undefined || like === undefined) throw new Error('there is one')
      const { fingerprint, role } = step.placement
      return { ...like, engineName: nameOfMade(step), container: stage, role, fingerprint, ...more }
    }

    it('H10 X2 runs them before the update and after it, and removes them', () => {
      const { stages, undo } = way({ desired: young, live: running(old), applied: old })
      expect(short(stages)).to.deep.equal([
        made,
        ...['run-to-end prod_web_test', 'run-to-end prod_web_pre', 'run-to-end prod_web_deploy'],
        ...['update-service prod_web', 'await-service prod_web', 'run-to-end prod_web_post'],
        ...away,
        'forget-files prod_web',
      ])
      expect(short(undo)).to.deep.equal([...away, 'restore-service prod_web', 'await-service prod_web'])
    })

    it('H10 runs them where nothing ran before, and removes all if it fails', () => {
      const { stages, undo } = way({ desired: young, live: running(desired()) })
      expect(short(stages).slice(4)).to.deep.equal([
        ...['create-service prod_web', 'await-service prod_web', 'run-to-end prod_web_post'],
        ...away,
        'forget-files prod_web',
      ])
      expect(short(undo)).to.deep.equal([...away, 'remove-service prod_web'])
    })

    it('H10 H29 runs a mid hook while nothing serves, and restores nothing from then on', () => {
      const withMid = wanted({ tag: '2', replicas: 2, jobs: ['pre', 'mid'], strategy: { type: 'recreate' } })
      const situation = { desired: withMid, live: running(old), applied: old }
      const { stages } = way(situation)
      expect(short(stages)).to.deep.equal([
        'create-job prod_web_pre, create-job prod_web_mid',
        ...['run-to-end prod_web_pre', 'stop-service prod_web', 'run-to-end prod_web_mid'],
        ...[
          'update-service prod_web',
          'await-service prod_web',
          'put-away prod_web_pre',
          'put-away prod_web_mid',
        ],
        'forget-files prod_web',
      ])
      const change = onlyChange(planOf({ networks, ...situation }))
      expect(change).to.deep.include({ noReturnAt: 3, downtime: true, strategy: 'recreate' })
      const [, , [restore] = []] = change.undo
      expect(restore, 'what was stopped before it gets its tasks back').to.deep.include({
        ...{ do: 'restore-service', replicas: 2 },
      })
    })

    it('H29 restores nothing from a mid hook on, also where somebody removed what ran before', () => {
      const withMid = wanted({ tag: '2', jobs: ['pre', 'mid'], strategy: { type: 'recreate' } })
      const gone = { networks, desired: withMid, live: { site: 'local', containers: [] } }
      const { stages, noReturnAt = -1 } = onlyChange(planOf({ ...gone, applied: old }))
      expect(stages[noReturnAt]?.map(step => step.do === 'run-to-end' && step.job)).to.deep.equal(['mid'])
      const lost = { applied: old, attempt: withMid, phase: 'failed', noReturn: true } as const
      expect(onlyChange(planOf({ ...gone, ...lost })).noReturnAt).to.equal(0)
      expect(onlyChange(planOf(gone)), 'G6 a first installation').not.to.have.property('noReturnAt')
    })

    describe('of which a mid hook is due', () => {
      const hooks = { jobs: ['pre', 'mid'], strategy: { type: 'recreate' } } as const
      const before = wanted({ tag: '1', replicas: 2, strategy: { type: 'recreate' } })
      const after = wanted({ tag: '2', replicas: 2, ...hooks })
      const lost = {
        desired: after,
        applied: before,
        attempt: after,
        phase: 'failed',
        noReturn: true,
      } as const
      const jobs = 'create-job prod_web_pre, create-job prod_web_mid'
      const again = [
        ...[jobs, 'run-to-end prod_web_pre', 'stop-service prod_web', 'run-to-end prod_web_mid'],
        ...['update-service prod_web', 'await-service prod_web'],
        ...['put-away prod_web_pre', 'put-away prod_web_mid', 'forget-files prod_web'],
      ]

      it('H10 H29 stops what an attempt started that failed after the hook, and says so', () => {
        const situation = { networks, ...lost, live: running(after) }
        expect(short(way(situation).stages)).to.deep.equal(again)
        const { lines, noReturnAt, downtime, strategy } = onlyChange(planOf(situation))
        expect(lines).to.deep.equal([{ sign: '~', name: 'web', reason: 'runs, and stops for the mid hook' }])
        expect({ noReturnAt, downtime, strategy }).to.deep.equal({
          ...{ noReturnAt: 0, downtime: true, strategy: 'recreate' },
        })
      })

      it('H10 H29 runs the hook anew that failed in such an attempt, and then gives the service its tasks', () => {
        const { site, containers } = running(after)
        const runs = { mark: {}, replicas: 0, wanted: 0, running: 0 }
        const none = { site, containers: containers.map(one => ({ ...one, state: 'exited' as const, runs })) }
        expect(short(way({ ...lost, live: none }).stages)).to.deep.equal(again)
        expect(short(way({ ...lost, live: none, phase: 'open' }).stages), 'after a crash').to.deep.equal(
          again,
        )
      })

      it('H22 stops nothing once the hook has succeeded', () => {
        const { containers, ...there } = running(after)
        const change = onlyChange(
          planOf({ networks, desired: after, live: running(before), applied: before }),
        )
        const [like] = containers
        const done = change.stages
          .flat()
          .flatMap(step =>
            isMaking(step) && step.spec.name === 'mid' && like !== undefined
              ? [{ ...like, engineName: nameOfMade(step), container: 'mid', role: 'hook' as const }]
              : [],
          )
        const ended = done.map(one => ({ ...one, state: 'exited' as const, exitCode: 0 }))
        const state = { ...there, containers: [...containers, ...ended] }
        const situation = { desired: after, live: state, applied: before, attempt: after }
        expect(short(way(situation).stages).slice(0, 3)).to.deep.equal([
          ...['create-job prod_web_mid', 'run-to-end prod_web_mid', 'await-service prod_web'],
        ])
      })
    })

    it('H22 runs none again that ended before a crash', () => {
      const { containers, ...there } = running(old)
      const done = ofJob('pre', { state: 'exited', exitCode: 0 })
      const waits = ofJob('post', { state: 'created' })
      const state = { ...there, containers: [...containers, done, waits] }
      const { stages } = way({ desired: young, live: state, applied: old, attempt: young })
      expect(short(stages).slice(0, 4)).to.deep.equal([
        'create-job prod_web_pre, create-job prod_web_deploy, create-job prod_web_post',
        ...['run-to-end prod_web_pre', 'run-to-end prod_web_deploy', 'update-service prod_web'],
      ])
    })

    it('H6 P7 X1 ends those of another rollout first: a hook is aborted, a deploy waited for', () => {
      const { containers, ...there } = running(old)
      const jobs = [ofJob('pre', { state: 'running' }), ofJob('deploy', { state: 'running' })]
      const state = { ...there, containers: [...containers, ...jobs] }
      const { stages } = way({ desired: wanted({ tag: '3', replicas: 2 }), live: state, applied: old })
      expect(short(stages)).to.deep.equal([
        'abort-hook prod_web_pre, await-end prod_web_deploy',
        'put-away prod_web_pre, put-away prod_web_deploy',
        ...['update-service prod_web', 'await-service prod_web', 'forget-files prod_web'],
      ])
    })
  })
})
