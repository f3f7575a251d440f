import { expect } from 'chai'
import type { Stages } from '../../../../lib/plan/rollout/rollout.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import {
  changed,
  desired,
  digest,
  live,
  type ServiceParts,
  without,
} from '../../../support/builders/builders.ts'
import { courseOf, onlyChange, planOf, told } from '../../../support/builders/planning.ts'

/** How what runs becomes what is wanted. */
function way(before: LiveState, to: ServiceParts, applied?: ServiceParts) {
  const wanted = desired(to)
  const change = onlyChange(
    planOf({
      desired: wanted,
      live: before,
      networks: [],
      ...(applied ? { applied: desired(applied) } : {}),
    }),
  )
  const { action, cause, reason, strategy, strategyReason, downtime } = change
  const how =
    strategy === 'none' ? '' : `, ${strategy}: ${strategyReason}${downtime ? ', with downtime' : ''}`
  return {
    how: `${action} (${cause}: ${reason})${how}`,
    stages: told(courseOf(change), before, live(wanted)),
    undo: told(change.undo, before, live(wanted)),
  }
}

/** How the step from one manifest to the next is made. */
function rollout(from: ServiceParts, to: ServiceParts) {
  return way(live(desired(from)), to, from)
}

describe('the rollout of a service', () => {
  describe('that is new', () => {
    it('E21 creates what is absent, starts it and waits until it is healthy', () => {
      expect(way(live(), { tag: '1', replicas: 2 })).to.deep.equal({
        how: 'create (missing: not deployed yet)',
        stages: [
          'create-container web.1@1, web.2@1',
          'start-container web.1@1, web.2@1',
          'await-healthy web.1@1, web.2@1',
        ],
        undo: ['remove-container web.1@1, web.2@1'],
      })
    })
  })

  describe('by a rolling update', () => {
    it('D7 lets the new one serve before the old one stops, where nothing is exclusive', () => {
      expect(rollout({ tag: '1' }, { tag: '2' })).to.deep.equal({
        how: 'replace (diverged: image), rolling: nothing is exclusive',
        stages: [
          'create-container web.1@2',
          'start-container web.1@2',
          'await-healthy web.1@2',
          'stop-container web.1@1',
          'remove-container web.1@1',
        ],
        undo: ['start-container web.1@1', 'await-healthy web.1@1', 'remove-container web.1@2'],
      })
    })

    it('H25 replaces three one by one: 25 % is one more and none fewer', () => {
      expect(rollout({ tag: '1', replicas: 3 }, { tag: '2', replicas: 3 }).stages).to.deep.equal([
        'create-container web.1@2',
        'start-container web.1@2',
        'await-healthy web.1@2',
        'stop-container web.1@1',
        'create-container web.2@2',
        'start-container web.2@2',
        'await-healthy web.2@2',
        'stop-container web.2@1',
        'create-container web.3@2',
        'start-container web.3@2',
        'await-healthy web.3@2',
        'stop-container web.3@1',
        'remove-container web.1@1, web.2@1, web.3@1',
      ])
    })

    it('H25 replaces four in twos: 25 % is one more and one fewer', () => {
      expect(rollout({ tag: '1', replicas: 4 }, { tag: '2', replicas: 4 }).stages).to.deep.equal([
        'stop-container web.1@1',
        'create-container web.1@2, web.2@2',
        'start-container web.1@2, web.2@2',
        'await-healthy web.1@2, web.2@2',
        'stop-container web.2@1, web.3@1',
        'create-container web.3@2, web.4@2',
        'start-container web.3@2, web.4@2',
        'await-healthy web.3@2, web.4@2',
        'stop-container web.4@1',
        'remove-container web.1@1, web.2@1, web.3@1, web.4@1',
      ])
    })

    it('H25 replaces ten in fives: 25 % is three more and two fewer', () => {
      const { stages } = rollout({ tag: '1', replicas: 10 }, { tag: '2', replicas: 10 })
      expect(stages.filter(stage => /^(stop|start)/.test(stage))).to.deep.equal([
        'stop-container web.1@1, web.2@1',
        'start-container web.1@2, web.2@2, web.3@2, web.4@2, web.5@2',
        'stop-container web.3@1, web.4@1, web.5@1, web.6@1, web.7@1',
        'start-container web.6@2, web.7@2, web.8@2, web.9@2, web.10@2',
        'stop-container web.8@1, web.9@1, web.10@1',
      ])
    })

    it('H26 lets one be missing where the specification leaves no room above and too little below', () => {
      const strategy = { type: 'rolling', maxSurge: 0, maxUnavailable: '25%' } as const
      expect(
        rollout({ tag: '1', replicas: 2, strategy }, { tag: '2', replicas: 2, strategy }).stages,
      ).to.deep.equal([
        'stop-container web.1@1',
        'create-container web.1@2',
        'start-container web.1@2',
        'await-healthy web.1@2',
        'stop-container web.2@1',
        'create-container web.2@2',
        'start-container web.2@2',
        'await-healthy web.2@2',
        'remove-container web.1@1, web.2@1',
      ])
    })

    it('X3 replaces only the instance whose image changed, and undo leaves the other one alone', () => {
      expect(rollout({ tags: ['1', '2'] }, { tags: ['1', '3'] })).to.deep.equal({
        how: 'replace (diverged: image), rolling: nothing is exclusive',
        stages: [
          'await-healthy web.1@1',
          'create-container web.1@3',
          'start-container web.1@3',
          'await-healthy web.1@3',
          'stop-container web.2@2',
          'remove-container web.2@2',
        ],
        undo: ['start-container web.2@2', 'await-healthy web.2@2', 'remove-container web.1@3'],
      })
    })

    it('G5 counts the new ones that an interrupted attempt left, and undo removes them too', () => {
      const left = live(desired({ tag: '1', replicas: 2 }), desired({ tag: '2' }))
      expect(way(left, { tag: '2', replicas: 2 }, { tag: '1', replicas: 2 })).to.deep.equal({
        how: 'replace (diverged: image), rolling: nothing is exclusive',
        stages: [
          'await-healthy web.1@2',
          'stop-container web.1@1',
          'create-container web.2@2',
          'start-container web.2@2',
          'await-healthy web.2@2',
          'stop-container web.2@1',
          'remove-container web.1@1, web.2@1',
        ],
        undo: [
          'start-container web.1@1, web.2@1',
          'await-healthy web.1@1, web.2@1',
          'remove-container web.1@2, web.2@2',
        ],
      })
    })
  })

  for (const [way, parts] of [
    ['by a rolling update', {}],
    ['by recreating', { hostPort: 80 }],
  ] as const)
    it(`G5 G12 ${way} counts the time that the old one has run when it comes back, and none of the new one`, () => {
      const [before, after] = [desired({ tag: '1', ...parts }), desired({ tag: '2', ...parts })]
      const change = onlyChange(planOf({ desired: after, live: live(before), applied: before }))
      const counted = (stages: Stages) =>
        stages.flat().flatMap(step => (step.do === 'await-healthy' ? [step.ranBefore === true] : []))
      expect([counted(change.undo), counted(courseOf(change))]).to.deep.equal([[true], [false]])
    })

  describe('by recreating', () => {
    it('D7 stops the holder of a host port before the new one starts, and keeps it until the gate passed', () => {
      expect(rollout({ tag: '1', hostPort: 80 }, { tag: '2', hostPort: 80 })).to.deep.equal({
        how: 'replace (diverged: image), recreate: host port 80 can be published once, with downtime',
        stages: [
          'create-container web.1@2',
          'stop-container web.1@1',
          'start-container web.1@2',
          'await-healthy web.1@2',
          'remove-container web.1@1',
        ],
        undo: ['remove-container web.1@2', 'start-container web.1@1', 'await-healthy web.1@1'],
      })
    })

    it('D7 does so for a volume of one instance at a time', () => {
      const { how } = rollout({ tag: '1', exclusiveVolume: 'data' }, { tag: '2', exclusiveVolume: 'data' })
      expect(how).to.equal(
        'replace (diverged: image), recreate: volume data is mounted by one instance at a time, with downtime',
      )
    })

    it('D7 does so where the specification asks for it, for all instances at once: the first new one passes before the others start (H20)', () => {
      const strategy = { type: 'recreate' } as const
      expect(rollout({ tag: '1', replicas: 2, strategy }, { tag: '2', replicas: 2, strategy })).to.deep.equal(
        {
          how: 'replace (diverged: image), recreate: the specification says Recreate, with downtime',
          stages: [
            'create-container web.1@2, web.2@2',
            'stop-container web.1@1, web.2@1',
            'start-container web.1@2',
            'await-healthy web.1@2',
            'start-container web.2@2',
            'await-healthy web.2@2',
            'remove-container web.1@1, web.2@1',
          ],
          undo: [
            'remove-container web.1@2, web.2@2',
            'start-container web.1@1, web.2@1',
            'await-healthy web.1@1, web.2@1',
          ],
        },
      )
    })

    it('D7 does so even where the specification asks for a rolling update that cannot be', () => {
      const strategy = { type: 'rolling', maxSurge: 0, maxUnavailable: 1 } as const
      const { how } = rollout({ tag: '1', hostPort: 80, strategy }, { tag: '2', hostPort: 80, strategy })
      expect(how).to.equal(
        'replace (diverged: image), recreate: host port 80 can be published once, with downtime',
      )
    })

    it('D7 has no downtime where nothing runs any more', () => {
      const stopped = changed(live(desired({ tag: '1', hostPort: 80 })), 'web.1', {
        state: 'exited',
        exitCode: 1,
      })
      expect(way(stopped, { tag: '2', hostPort: 80 })).to.deep.include({
        how: 'replace (diverged: image), recreate: host port 80 can be published once',
        stages: [
          'create-container web.1@2',
          'start-container web.1@2',
          'await-healthy web.1@2',
          'remove-container web.1@1',
        ],
      })
    })

    it('D7 stops a paused one, which holds its port as well, and does not start it again', () => {
      const paused = changed(live(desired({ tag: '1', hostPort: 80 })), 'web.1', { state: 'paused' })
      expect(way(paused, { tag: '2', hostPort: 80 })).to.deep.include({
        stages: [
          'create-container web.1@2',
          'stop-container web.1@1',
          'start-container web.1@2',
          'await-healthy web.1@2',
          'remove-container web.1@1',
        ],
        undo: ['remove-container web.1@2'],
      })
    })

    it('G5 goes on where an interrupted attempt stopped: the old one is stopped, the new one never started', () => {
      const before = { tag: '1', hostPort: 80 }
      const after = { tag: '2', hostPort: 80 }
      const old = changed(live(desired(before)), 'web.1', { state: 'exited', exitCode: 0 })
      const young = changed(live(desired(after)), 'web.1', { state: 'created' })
      const left = { site: 'local', containers: [...old.containers, ...young.containers] }
      expect(way(left, after, before)).to.deep.equal({
        how: 'replace (diverged: image), recreate: host port 80 can be published once',
        stages: [
          'create-container web.1@2',
          'start-container web.1@2',
          'await-healthy web.1@2',
          'remove-container web.1@1',
        ],
        undo: ['remove-container web.1@2', 'start-container web.1@1', 'await-healthy web.1@1'],
      })
    })
  })

  describe('in another number', () => {
    it('A4 adds instances beside those that run', () => {
      expect(rollout({ replicas: 2 }, { replicas: 4 })).to.deep.equal({
        how: 'create (diverged: instances missing)',
        stages: [
          'create-container web.3@1, web.4@1',
          'start-container web.3@1, web.4@1',
          'await-healthy web.3@1, web.4@1',
        ],
        undo: ['remove-container web.3@1, web.4@1'],
      })
    })

    it('X14 stops and removes the ones with the highest numbers', () => {
      expect(rollout({ replicas: 4 }, { replicas: 2 })).to.deep.equal({
        how: 'remove (diverged: more instances than wanted)',
        stages: ['stop-container web.3@1, web.4@1', 'remove-container web.3@1, web.4@1'],
        undo: [],
      })
    })

    it('X14 rather removes one that does not run, or is not healthy', () => {
      const four = live(desired({ replicas: 4 }))
      const ill = changed(changed(four, 'web.1', { state: 'exited', exitCode: 1 }), 'web.3', {
        health: 'unhealthy',
      })
      expect(way(ill, { replicas: 2 }).stages).to.deep.equal([
        'stop-container web.3@1',
        'remove-container web.3@1, web.1@1',
      ])
    })

    it('A4 removes all where none is wanted', () => {
      expect(rollout({ replicas: 2 }, { replicas: 0 })).to.deep.equal({
        how: 'remove (diverged: no instances wanted)',
        stages: ['stop-container web.1@1, web.2@1', 'remove-container web.1@1, web.2@1'],
        undo: [],
      })
    })
  })

  describe('that the world changed', () => {
    const three = { tag: '1', replicas: 3 }
    const running = live(desired(three))

    it('D9 starts what was stopped', () => {
      const stopped = changed(running, 'web.2', { state: 'exited', exitCode: 137 })
      expect(way(stopped, three, three)).to.deep.equal({
        how: 'start (drifted: stopped (exit code 137))',
        stages: ['start-container web.2@1', 'await-healthy web.2@1'],
        undo: [],
      })
    })

    it('D9 lets go on what was paused', () => {
      expect(way(changed(running, 'web.2', { state: 'paused' }), three, three)).to.deep.equal({
        how: 'start (drifted: paused)',
        stages: ['unpause-container web.2@1', 'await-healthy web.2@1'],
        undo: [],
      })
    })

    it('D9 attaches what was cut off from its network', () => {
      expect(way(changed(running, 'web.2', { networks: [] }), three, three)).to.deep.equal({
        how: 'start (drifted: detached from network prod)',
        stages: ['connect-network web.2@1 prod', 'await-healthy web.2@1'],
        undo: [],
      })
    })

    it('D9 makes the network again when that is gone', () => {
      const { prepare } = onlyChange(
        planOf({
          desired: desired(three),
          live: changed(running, 'web.2', { networks: [] }),
          networks: [],
        }),
      )
      expect(told([prepare])).to.deep.equal(['create-network prod'])
    })

    it('D9 creates what was removed, under the number that is free', () => {
      expect(way(without(running, 'web.2'), three, three)).to.deep.equal({
        how: 'create (drifted: instances missing)',
        stages: ['create-container web.2@1', 'start-container web.2@1', 'await-healthy web.2@1'],
        undo: ['remove-container web.2@1'],
      })
    })

    it('D9 mends several things at once', () => {
      const odd = changed(without(running, 'web.3'), 'web.1', { state: 'exited', exitCode: 1 })
      expect(way(odd, three, three)).to.deep.equal({
        how: 'start (drifted: stopped (exit code 1); instances missing)',
        stages: [
          'create-container web.3@1',
          'start-container web.1@1, web.3@1',
          'await-healthy web.1@1, web.3@1',
        ],
        undo: ['remove-container web.3@1'],
      })
    })

    it('D5 replaces one that was not made from the digest its label claims', () => {
      const one = { tag: '1' }
      const replaced = changed(live(desired(one)), 'web.1', { engineDigest: digest('f') })
      expect(way(replaced, one, one)).to.deep.equal({
        how: 'replace (drifted: its image was replaced), rolling: nothing is exclusive',
        stages: [
          'create-container web.2@1',
          'start-container web.2@1',
          'await-healthy web.2@1',
          'stop-container web.1@1',
          'remove-container web.1@1',
        ],
        undo: ['start-container web.1@1', 'await-healthy web.1@1', 'remove-container web.2@1'],
      })
    })

    it('D9 replaces what is dead: that cannot be started', () => {
      const dead = changed(live(desired({ tag: '1' })), 'web.1', { state: 'dead' })
      expect(way(dead, { tag: '1' }, { tag: '1' })).to.deep.include({
        how: 'replace (drifted: dead), rolling: nothing is exclusive',
        stages: [
          'create-container web.2@1',
          'start-container web.2@1',
          'await-healthy web.2@1',
          'remove-container web.1@1',
        ],
      })
    })

    it('D9 leaves a container alone that the engine is restarting', () => {
      const restarting = changed(running, 'web.2', { state: 'restarting' })
      expect(planOf({ desired: desired(three), live: restarting }).changes).to.deep.equal([])
    })

    it('D9 mends what stays while it replaces the rest', () => {
      const paused = changed(live(desired({ tags: ['1', '2'] })), 'web.1', { state: 'paused' })
      expect(way(paused, { tags: ['1', '3'] }, { tags: ['1', '2'] }).stages.slice(0, 2)).to.deep.equal([
        'unpause-container web.1@1',
        'await-healthy web.1@1',
      ])
    })
  })

  describe('with several containers in an instance', () => {
    it('A3 treats them as one', () => {
      const { stages } = rollout({ tag: '1', beside: ['log'] }, { tag: '2', beside: ['log'] })
      expect(stages).to.deep.equal([
        'create-container web.1@2.web, web.1@2.log',
        'start-container web.1@2.web, web.1@2.log',
        'await-healthy web.1@2.web, web.1@2.log',
        'stop-container web.1@1.web, web.1@1.log',
        'remove-container web.1@1.web, web.1@1.log',
      ])
    })

    it('D9 mends each of them', () => {
      const state = { tag: '1', beside: ['log', 'proxy'] }
      const whole = live(desired(state))
      const [web, log, proxy] = whole.containers
      if (web === undefined || log === undefined || proxy === undefined) throw new Error('three are wanted')
      const containers = [
        { ...web, networks: [], state: 'exited' as const, exitCode: 0 },
        { ...log, state: 'paused' as const },
        proxy,
      ]
      expect(way({ ...whole, containers }, state, state)).to.deep.equal({
        how: 'start (drifted: stopped (exit code 0); detached from network prod; paused)',
        stages: [
          'connect-network web.1@1.web prod',
          'start-container web.1@1.web, unpause-container web.1@1.log',
          'await-healthy web.1@1.web, web.1@1.log, web.1@1.proxy',
        ],
        undo: [],
      })
    })

    it('A3 replaces an instance that lost one of them', () => {
      const state = desired({ tag: '1', beside: ['log'] })
      const whole = live(state)
      const half = { ...whole, containers: whole.containers.filter(({ container }) => container === 'web') }
      const { action, reason } = onlyChange(planOf({ desired: state, live: half, applied: state }))
      expect({ action, reason }).to.deep.equal({
        action: 'replace',
        reason: 'not all of its containers are there',
      })
    })
  })
})
