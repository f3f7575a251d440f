import { expect } from 'chai'
import type { Change } from '../../../lib/plan/change/change.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import {
  application,
  changed,
  container,
  desired,
  digest,
  instance,
  live,
  service,
} from '../../support/builders/builders.ts'
import {
  applicationReleaseOf,
  courseOf,
  madeFrom,
  onlyChange,
  planOf,
  told,
} from '../../support/builders/planning.ts'

describe('what an interrupted rollout left', () => {
  it('G5 is removed with the rest where a first installation that made a part of an instance fails: nothing is started again', () => {
    const parts = [container(), container({ name: 'log' })] as const
    const web = { ...service(), instances: [{ ...instance(), containers: parts }] }
    const wanted = desired(application('web', [web]))
    const [one] = live(wanted).containers
    const half = { site: 'local', containers: one === undefined ? [] : [one] }
    const change = onlyChange(planOf({ desired: wanted, live: half, attempt: wanted }))
    expect(change.undo.flat().map(step => step.do)).to.deep.equal([
      'remove-container',
      'remove-container',
      'remove-container',
    ])
  })

  it('D4 stays the rollout that was approved when only removals are left of it', () => {
    const before = desired({ tags: ['1', '1'] })
    const after = desired({ tags: ['1', '2'] })
    const between = live(desired({ tags: ['1', '2', '1'] }))
    const change = onlyChange(planOf({ desired: after, live: between, applied: before }))
    expect([
      change.action,
      courseOf(change)
        .flat()
        .map(step => step.do),
    ]).to.deep.equal(['replace', ['await-healthy', 'await-healthy', 'stop-container', 'remove-container']])
  })

  it('G7 says what differs from what it had stopped, though the new instance is there and was never started', () => {
    const [before, after] = [desired({ tag: '1' }), desired({ tag: '2' })]
    const old = changed(live(before), 'web.1', { state: 'exited', exitCode: 0 })
    const young = changed(live(after), 'web.1', { state: 'created' })
    const left = { site: 'local', containers: [...old.containers, ...young.containers] }
    const change = onlyChange(
      planOf({ desired: after, live: left, applied: before, specificationOf: madeFrom(before, after) }),
    )
    expect(change.fields.map(({ path, from, to }) => `${path}: ${from} -> ${to}`)).to.deep.equal([
      `web/image: example.com/web:1@${digest('1')} -> example.com/web:2@${digest('2')}`,
    ])
    expect(change.lines.map(({ sign, name, reason }) => `${sign} ${name} ${reason}`)).to.deep.equal([
      '~ web.1.ec341829 not started yet',
      '- web.1.4dbd505c image',
    ])
  })

  it('D9 is no drift while it was never whole, so that "drift: report" does not leave it half-made', () => {
    const wanted = desired({ name: 'web' })
    const halfMade = live(wanted)
    const stopped = {
      ...halfMade,
      containers: halfMade.containers.map(one => ({ ...one, state: 'created' as const })),
    }
    const { cause, held } = onlyChange(planOf({ desired: wanted, live: stopped, rules: { drift: 'report' } }))
    expect([cause, held]).to.deep.equal(['diverged', undefined])
  })

  it('G5 has yet to pass the gate when the process ended in it, though all that is wanted runs', () => {
    const wanted = desired({ tag: '1', replicas: 2 })
    const change = onlyChange(planOf({ desired: wanted, live: live(wanted), attempt: wanted }))
    expect(change).to.include({ action: 'run', reason: 'its rollout was interrupted' })
    const image = `example.com/web:1@${digest('1')}`
    expect(change.lines.map(({ sign, name, reason }) => `${sign} ${name} ${reason}`)).to.deep.equal([
      `~ web.1 has yet to pass its health gate, with ${image}`,
      `~ web.2 has yet to pass its health gate, with ${image}`,
    ])
    expect(told(courseOf(change), live(wanted))).to.deep.equal(['await-healthy web.1@1, web.2@1'])
  })

  it('G5 is undone with what is made now, and what ran before stays', () => {
    const before = desired({ tag: '1' })
    const wanted = desired({ tag: '1', replicas: 3 })
    const between = live(desired({ tag: '1', replicas: 2 }))
    const change = onlyChange(planOf({ desired: wanted, live: between, applied: before, attempt: wanted }))
    expect(change).to.include({ action: 'create', strategy: 'none', strategyReason: '', downtime: false })
    expect(told(change.undo, live(wanted))).to.deep.equal(['remove-container web.2@1, web.3@1'])
  })

  it('G2 has passed it once it is known to be applied', () => {
    const wanted = desired({ tag: '1' })
    const plan = planOf({ desired: wanted, live: live(wanted), attempt: wanted, applied: wanted })
    expect(plan.changes).to.deep.equal([])
  })

  describe('of an instance of several containers', () => {
    const several = { beside: ['log'], inSandbox: true }
    const before = desired({ tag: '1', ...several })
    const wanted = desired({ tag: '2', ...several })
    const ofAttempt = live(wanted).containers

    it('G5 is removed with what is made now if it is a part of one, and is not started again', () => {
      const [sandbox] = ofAttempt
      const there = live(before)
      const between = { ...there, containers: [...there.containers, ...(sandbox ? [sandbox] : [])] }
      const situation = { desired: wanted, live: between, applied: before, attempt: wanted }
      const { undo } = onlyChange(planOf(situation))
      const ended = [...undo.flat()].flatMap(step =>
        step.do === 'start-container' || step.do === 'remove-container'
          ? [`${step.do} ${step.container}`]
          : [],
      )
      expect(ended).to.include(`remove-container ${sandbox?.engineName}`)
      expect(ended).not.to.include(`start-container ${sandbox?.engineName}`)
    })

    it('G5 is removed as well when only the undo was interrupted', () => {
      const [sandbox] = ofAttempt
      const there = live(before)
      const between = { ...there, containers: [...there.containers, ...(sandbox ? [sandbox] : [])] }
      const failed = { release: applicationReleaseOf(wanted, 'web'), reason: 'it failed', sinceMs: 0 }
      const change = onlyChange(
        planOf({
          ...{ desired: wanted, live: between, applied: before, attempt: wanted, phase: 'failed' },
          rules: { quarantined: new Map([['local/web/web', failed]]) },
        }),
      )
      expect(courseOf(change)).to.deep.equal([[{ do: 'remove-container', container: sandbox?.engineName }]])
    })

    it('G5 X5 fails its gate if an app of it has ended otherwise than with 0, unless it had passed before', () => {
      const failed = (state: DesiredState) =>
        live(state).containers.map(one =>
          one.container === 'log'
            ? { ...one, state: 'exited' as const, exitCode: 4, mayEnd: true as const, isDone: true as const }
            : one,
        )
      const gated = (change: Change) =>
        courseOf(change)
          .flat()
          .filter(step => step.do === 'await-healthy').length
      const there = { ...live(before), containers: [...live(before).containers, ...failed(wanted)] }
      expect(
        gated(onlyChange(planOf({ desired: wanted, live: there, applied: before, attempt: wanted }))),
        'its sandbox and both apps',
      ).to.equal(3)
      const more = desired({ tag: '1', replicas: 2, ...several })
      expect(
        gated(
          onlyChange(
            planOf({ desired: more, live: { ...live(before), containers: failed(before) }, applied: before }),
          ),
        ),
        'only the new one',
      ).to.equal(3)
    })
  })
})
