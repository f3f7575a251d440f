import { expect } from 'chai'
import { isStuck } from '../../../../lib/plan/change/keep-before.ts'
import type { Held } from '../../../../lib/plan/hold/held.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { gateOf, type Route } from '../../../../lib/state/application/ingress/route.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import { changed, desired, live, without } from '../../../support/builders/builders.ts'
import {
  applicationReleaseOf,
  courseOf,
  planOf,
  type Situation,
  targetOf,
  told,
} from '../../../support/builders/planning.ts'

/** What is done where web cannot get what is wanted, in words; nothing where it is as it was before. */
function kept(parts: Omit<Situation, 'stuck'>): readonly string[] {
  const { changes } = planOf({ ...parts, stuck: ['local/web/web'] })
  const [change] = changes.filter(({ held, cause }) => held === undefined && cause === 'drifted')
  if (change === undefined) return []
  return [
    `${change.cause}: ${change.reason}`,
    ...told(courseOf(change), change, parts.live, live(parts.desired)),
  ]
}

function together(...states: readonly LiveState[]): LiveState {
  return { site: 'local', containers: states.flatMap(({ containers }) => containers) }
}

describe('a change that is held', () => {
  it('G14 G17 D18 has its service kept as it was, unless that is left alone for now, or by somebody’s order', () => {
    const isKept = (held: Held) => isStuck({ cause: 'diverged', held })
    const [code, reason] = ['window-closed', 'it waits'] as const
    expect(isKept({ code, reason })).to.equal(true)
    expect(isKept({ code: 'pull-failed', reason, isLater: true })).to.equal(false)
    expect(isKept({ code: 'quarantined', reason, isFinal: true })).to.equal(false)
    expect(isKept({ code: 'suspended', reason })).to.equal(false)
    expect(isStuck({ cause: 'orphaned', held: { code, reason } })).to.equal(false)
    expect(isStuck({ cause: 'diverged' })).to.equal(false)
  })
})

describe('a service that cannot get what is wanted now', () => {
  const before = desired({ tag: '1' })
  const after = desired({ tag: '2' })

  it('G5 D18 is left alone while it is as it was', () => {
    expect(kept({ desired: after, live: live(before), applied: before })).to.deep.equal([])
  })

  it('G5 D9 is started again when it was stopped', () => {
    const stopped = changed(live(before), 'web.1', { state: 'exited', exitCode: 0 })
    expect(kept({ desired: after, live: stopped, applied: before })).to.deep.equal([
      'drifted: stopped (exit code 0)',
      'start-container web.1@1',
      'await-healthy web.1@1',
    ])
  })

  it('G5 D9 goes on when it was paused, and is attached again when it was cut off', () => {
    const paused = changed(live(before), 'web.1', { state: 'paused' })
    expect(kept({ desired: after, live: paused, applied: before })).to.include('unpause-container web.1@1')
    const cutOff = changed(live(before), 'web.1', { networks: [] })
    expect(kept({ desired: after, live: cutOff, applied: before })).to.include('connect-network web.1@1 prod')
  })

  it('P10 G5 is made again, as it was before, when it was removed', () => {
    expect(kept({ desired: after, live: live(), applied: before })).to.deep.equal([
      'drifted: instances missing',
      'create-container web.1@1',
      'start-container web.1@1',
      'await-healthy web.1@1',
    ])
  })

  it('G5 gets back the instances that are missing of several', () => {
    const three = desired({ tag: '1', replicas: 3 })
    const one = without(without(live(three), 'web.2'), 'web.3')
    expect(kept({ desired: after, live: one, applied: three })).to.include(
      'create-container web.2@1, web.3@1',
    )
  })

  it('G6 D9 is told as what it is where it is not to be repaired either', () => {
    const quarantined = new Map([
      ['local/web/web', { release: applicationReleaseOf(after, 'web'), reason: 'failed before', sinceMs: 0 }],
    ])
    const { changes } = planOf({
      desired: after,
      live: live(),
      applied: before,
      stuck: ['local/web/web'],
      rules: { quarantined, drift: 'report' },
    })
    expect(changes.map(({ held }) => held?.code)).to.deep.equal(['quarantined'])
  })

  it('D9 is only reported where the operator says so', () => {
    const stopped = changed(live(before), 'web.1', { state: 'exited', exitCode: 0 })
    expect(
      kept({ desired: after, live: stopped, applied: before, rules: { drift: 'report' } }),
    ).to.deep.equal([])
  })

  it('G14 is not touched while somebody has it suspended', () => {
    const suspended = new Map([['web', { reason: 'Ann looks into it', sinceMs: 1_000 }]])
    expect(kept({ desired: after, live: live(), applied: before, rules: { suspended } })).to.deep.equal([])
  })

  describe('and of which nobody knows any more what it was made from', () => {
    const forgotten = (live: LiveState, parts: Partial<Situation> = {}) =>
      kept({ desired: after, live, applied: before, readAgain: desired(), ...parts })
    const stopped = { state: 'exited', exitCode: 0 } as const

    it('D15 D9 is started again as it is when it was stopped', () => {
      expect(forgotten(changed(live(before), 'web.1', stopped))).to.deep.equal([
        'drifted: stopped (exit code 0)',
        'start-container web.1@1',
        'await-healthy web.1@1',
      ])
    })

    it('D15 G15 is not started as it is where it was created and never ran: something may be missing in it', () => {
      expect(forgotten(changed(live(before), 'web.1', { state: 'created' }))).to.deep.equal([])
    })

    it('D15 D9 gets its number of tasks back where somebody scaled it on a Swarm', () => {
      const on = (replicas: number | 'global', altered = {}) =>
        changed(live(before), 'web.1', { runs: { mark: {}, wanted: 1, running: 1, replicas, ...altered } })
      for (const replicas of [0, 3])
        expect(forgotten(on(replicas)), `${replicas}`).to.deep.equal([
          `drifted: scaled from ${replicas} tasks to 1, because somebody scaled it by hand`,
          'restore-service web.1@1',
          'await-service web.1@1',
        ])
      expect(forgotten(on(1))).to.deep.equal([])
      expect(forgotten(on('global'))).to.deep.equal([])
      expect(forgotten(on(3, { altered: 'its image was changed' }))).to.deep.equal([])
    })

    it('D15 D9 so it is if the commit means something else now, because a secret has changed', () => {
      const readAgain = desired({ tag: '1', env: { PASSWORD: 'another' } })
      expect(forgotten(changed(live(before), 'web.1', stopped), { readAgain })).to.include(
        'start-container web.1@1',
      )
      expect(forgotten(live(), { readAgain })).to.deep.equal([])
    })

    it('D15 D9 goes on when it was paused, and gets its name back first', () => {
      const paused = changed(live(before), 'web.1', { state: 'paused', bears: 'other' })
      expect(forgotten(paused)).to.deep.equal([
        'drifted: paused',
        'unpause-container web.1@1',
        'await-healthy web.1@1',
      ])
      const plan = planOf({
        desired: after,
        live: paused,
        applied: before,
        readAgain: desired(),
        stuck: ['local/web/web'],
      })
      const prepared = plan.changes.flatMap(({ prepare }) => prepare.map(step => step.do))
      expect(prepared).to.deep.equal(['rename-container'])
    })

    it('D15 is left alone while it runs, and cannot be made again when it was removed', () => {
      expect(forgotten(live(before))).to.deep.equal([])
      expect(forgotten(live())).to.deep.equal([])
    })

    it('D18 has nothing started that was not applied, is dead or is of another image', () => {
      expect(forgotten(changed(live(desired({ tag: '9' })), 'web.1', stopped))).to.deep.equal([])
      for (const broken of [{ state: 'dead' }, { ...stopped, isFromOtherImage: true }] as const)
        expect(forgotten(changed(live(before), 'web.1', broken))).to.deep.equal([])
      const attempt = { attempt: after, phase: 'failed' } as const
      expect(forgotten(changed(live(before), 'web.1', stopped), attempt)).to.deep.equal([])
    })

    it('P12 leaves its gate before it is started, and receives requests once it is healthy', () => {
      const gate = 'prod.web.ingress'
      const there = changed(live(before), 'web.1', { ...stopped, networks: ['prod', gate] })
      expect(forgotten(there).slice(1)).to.deep.equal([
        `drain web.1@1 ${gate}`,
        'start-container web.1@1',
        'await-healthy web.1@1',
        `admit web.1@1 ${gate}`,
      ])
    })

    it('P12 receives requests again if the process ended in between, as the loaded routes show', () => {
      const { alias } = gateOf('prod', 'web', 'web', '')
      const route: Route = {
        application: 'web',
        service: 'web',
        path: '/',
        alias,
        port: 80,
        tls: 'off',
        holdMs: 0,
      }
      expect(forgotten(live(before), { loaded: [route] }).slice(1)).to.deep.equal([
        'await-healthy web.1@1',
        'admit web.1@1 prod.web.ingress',
      ])
    })

    it('D9 G14 is only reported, or left alone, if the operator says so', () => {
      const there = changed(live(before), 'web.1', stopped)
      const suspended = new Map([['web', { reason: 'Ann looks into it', sinceMs: 1_000 }]])
      expect(forgotten(there, { rules: { drift: 'report' } })).to.deep.equal([])
      expect(forgotten(there, { rules: { suspended } })).to.deep.equal([])
    })

    it('G5 H29 is started again though another release is in quarantine, but not past the point of return', () => {
      const there = changed(live(before), 'web.1', stopped)
      const quarantined = (isFinal: boolean) =>
        new Map([['local/web/web', { release: 'other', reason: 'failed before', sinceMs: 0, isFinal }]])
      expect(forgotten(there, { rules: { quarantined: quarantined(false) } })).to.include(
        'start-container web.1@1',
      )
      expect(forgotten(there, { rules: { quarantined: quarantined(true) } })).to.deep.equal([])
    })
  })

  describe('and was being changed', () => {
    const [old, young] = [
      desired({ tag: '1', hostPort: 80 }),
      desired({ tag: '2', hostPort: 80, strategy: { type: 'recreate' } }),
    ]
    const stopped = changed(live(old), 'web.1', { state: 'exited', exitCode: 0 })
    const halfway = together(stopped, live(young))

    for (const phase of ['open', 'failed'] as const)
      it(`G5 D18 is put back, what was made of it removed (${phase})`, () => {
        expect(kept({ desired: young, live: halfway, applied: old, attempt: young, phase })).to.deep.equal([
          `drifted: puts back what ran before ${phase === 'open' ? 'an interrupted' : 'the failed'} rollout`,
          'stop-container web.1@2',
          'start-container web.1@1',
          'await-healthy web.1@1',
          'remove-container web.1@2',
        ])
      })

    it('G14 D18 is not put back while it is suspended, and told as that', () => {
      const suspended = new Map([['web', { reason: 'Ann looks into it', sinceMs: 1_000 }]])
      const parts = { desired: young, live: halfway, applied: old, attempt: young, rules: { suspended } }
      expect(kept(parts)).to.deep.equal([])
      const { changes } = planOf({ ...parts, stuck: ['local/web/web'] })
      expect(changes.map(({ held }) => held?.code)).to.deep.equal(['suspended'])
    })

    it('H29 is not put back once a mid hook failed, whatever is wanted meanwhile', () => {
      const parts = { desired: young, live: halfway, applied: old, attempt: young, phase: 'failed' } as const
      expect(kept({ ...parts, noReturn: true })).to.deep.equal([])
    })

    it('H29 nor while the mid hook runs, or has run: the data may be the new version’s', () => {
      const [web] = live(old).containers
      if (web === undefined) return expect.fail()
      for (const state of ['running', 'exited'] as const) {
        const mid = {
          ...web,
          engineName: 'prod.web.mid.12345678',
          container: 'mid',
          role: 'hook' as const,
          state,
        }
        const there = together(halfway, { site: 'local', containers: [mid] })
        expect(kept({ desired: young, live: there, applied: old, attempt: young }), state).to.deep.equal([])
      }
    })

    it('G5 D18 the way back to what ran before is no drift to report, but the end of what tallyman began', () => {
      const plan = planOf({
        desired: old,
        live: halfway,
        applied: old,
        attempt: young,
        rules: { drift: 'report' },
      })
      expect(plan.changes.map(({ held, isWayBack, cause }) => ({ held, isWayBack, cause }))).to.deep.equal([
        { held: undefined, isWayBack: true, cause: 'drifted' },
      ])
    })

    it('D18 is put back whatever the operator says about drift: nobody but tallyman did that', () => {
      const parts = { desired: young, live: halfway, applied: old, attempt: young }
      expect(kept({ ...parts, rules: { drift: 'report' } })[0]).to.equal(
        'drifted: puts back what ran before an interrupted rollout',
      )
    })

    it('D18 has its running hook aborted', () => {
      const hooked = desired({ tag: '2', jobs: ['pre'] })
      const { changes } = planOf({ desired: hooked, live: live(before), applied: before })
      const step = changes[0]?.stages.flat().find(one => one.do === 'create-container')
      const [web] = live(before).containers
      if (step?.do !== 'create-container' || web === undefined) return expect.fail()
      const pre = { ...web, engineName: step.container, container: 'pre', role: 'hook' as const }
      const there = together(live(before), { site: 'local', containers: [pre] })
      expect(kept({ desired: hooked, live: there, applied: before, attempt: hooked }).slice(1)).to.deep.equal(
        ['abort-hook web.pre@1', 'put-away web.pre@1'],
      )
    })

    it('D18 for the first time: what was made of it is removed, and nothing else', () => {
      const stranger = live(desired({ tag: '9' }))
      const there = together(live(after), stranger)
      expect(kept({ desired: after, live: there, attempt: after }).slice(1)).to.deep.equal([
        'stop-container web.1@2',
        'remove-container web.1@2',
      ])
    })

    it('A62 D18 for the first time: that is taken back, and not told as the end of what was begun', () => {
      const upgrades = new Map([['web', { version: '2', isBegun: true as const }]])
      const parts = { desired: desired({ name: 'other' }), live: live(after), rules: { upgrades } }
      const told = (more: Partial<Situation>) =>
        planOf({ ...parts, ...more })
          .changes.filter(({ application }) => application === 'web')
          .map(({ cause, isBegun }) => ({ cause, isBegun }))
      expect(told({})).to.deep.equal([{ cause: 'orphaned', isBegun: true }])
      expect(told({ attempt: after, stuck: ['local/web/web'] })).to.deep.equal([
        { cause: 'drifted', isBegun: undefined },
      ])
    })

    it('G10 for the first time, as far as is known: without a record of an attempt nothing is removed', () => {
      expect(kept({ desired: after, live: live(after) })).to.deep.equal([])
    })

    it('G6 is told as a thing put back, never as a release', () => {
      const { changes } = planOf({
        desired: young,
        live: halfway,
        applied: old,
        attempt: young,
        stuck: ['local/web/web'],
      })
      expect(changes.map(({ target, undo, jobs }) => ({ target, undo, jobs }))).to.deep.equal([
        { target: `before ${targetOf(young, 'web')}`, undo: [], jobs: [] },
      ])
    })
  })

  it('D15 is looked after though its application is blocked', () => {
    const blocked: DesiredState = {
      ...desired(),
      blocked: [{ application: 'web', problems: [{ code: 'image-not-found', message: 'no such image' }] }],
    }
    expect(kept({ desired: blocked, live: live(), applied: before })).to.include('create-container web.1@1')
  })
})
