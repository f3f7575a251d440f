import { expect } from 'chai'
import { desired, live } from '../../support/builders.ts'
import { courseOf, onlyChange, planOf, told } from '../../support/planning.ts'

describe('what an interrupted rollout left', () => {
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
    expect(change.lines.map(({ sign, name, reason }) => `${sign} ${name} ${reason}`)).to.deep.equal([
      '~ web.1 has yet to pass its health gate',
      '~ web.2 has yet to pass its health gate',
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
})
