import { expect } from 'chai'
import { keepingFailed } from '../../../../lib/plan/change/keep-failed.ts'
import { describeStep } from '../../../../lib/plan/step/describe.ts'
import { keptName } from '../../../../lib/state/running/job-container.ts'
import type { LiveContainer, LiveState } from '../../../../lib/state/running/live.ts'
import { change, desired, live } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'

/** The same, beside what a release that failed left. */
function besideKept(state: LiveState, failed: LiveState): LiveState {
  const kept = failed.containers.map(
    (one): LiveContainer => ({
      ...one,
      id: 'f00dcafe',
      engineName: keptName(one.engineName, 'f00dcafe'),
      state: 'exited',
      exitCode: 3,
      networks: [],
    }),
  )
  return { ...state, containers: [...state.containers, ...kept] }
}

describe('what failed and is kept', () => {
  const before = desired({ tag: '1' })
  const after = desired({ tag: '2' })

  it('H9 is what undo would remove, where any is to be kept', () => {
    const undoing = change({
      undo: [
        [{ do: 'start-container', container: 'web.1' }],
        [{ do: 'remove-container', container: 'web.2' }],
      ],
      finish: [[{ do: 'remove-container', container: 'web.1' }]],
    })
    const stepsOf = (keep: number) => {
      const { undo, finish } = keepingFailed(undoing, keep)
      return [...undo, ...finish].flat().map(describeStep)
    }
    expect(stepsOf(0)).to.deep.equal([
      'start-container web.1',
      'remove-container web.2',
      'remove-container web.1',
    ])
    expect(stepsOf(2)).to.deep.equal(['start-container web.1', 'keep-failed web.2', 'remove-container web.1'])
  })

  it('G2 H9 is no instance: neither of the version that runs nor of its own', () => {
    const site = besideKept(live(before), live(after))
    expect(planOf({ desired: before, live: site, applied: before }).changes).to.deep.equal([])
    const [again] = planOf({ desired: after, live: site, applied: before }).changes
    expect(again?.stages.flat().map(describeStep)).to.include(
      `create-container ${live(after).containers[0]?.engineName}`,
    )
    expect(again?.finish.flat().map(describeStep)).to.deep.equal([
      `remove-container ${live(before).containers[0]?.engineName}`,
    ])
  })

  it('H9 D3 goes with its application', () => {
    const site = besideKept(live(desired({ name: 'api' }, { tag: '1' })), live(after))
    const { changes } = planOf({ desired: desired({ name: 'api' }), live: site })
    expect(changes.map(({ service, action }) => `${action} ${service}`)).to.deep.equal(['remove web'])
    const [name = ''] = live(after).containers.map(({ engineName }) => engineName)
    expect(changes.flatMap(({ finish }) => finish.flat().map(describeStep))).to.include(
      `remove-container ${keptName(name, 'f00dcafe')}`,
    )
  })
})
