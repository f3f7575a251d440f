import { expect } from 'chai'
import { stepsOf } from '../../../../lib/plan/step/step.ts'
import { forSwarm } from '../../../../lib/resolve/swarm/for-swarm.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import { application, desired, live, service } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'

/** On a Swarm: `shop` requires `db`, and nothing has to do with `blog`. */
function wanted(tag: string, jobs: readonly 'post'[] = []): DesiredState {
  const of = (name: string, requires: readonly string[] = []) =>
    application(name, [service({ name, tag, replicas: 2, jobs })], { requires })
  return forSwarm(desired(of('blog'), of('db'), of('shop', ['db'])), { endpoint: 'vip', publish: 'ingress' })
}

function running(state: DesiredState): LiveState {
  const { site, containers } = live(state)
  return {
    site,
    containers: containers.map(one => ({ ...one, runs: { mark: {}, replicas: 2, wanted: 2, running: 2 } })),
  }
}

/** Which of the rollouts wait until what they replace has ended, and which of their undos. */
function waiting(before: DesiredState, after: DesiredState) {
  const { changes } = planOf({
    ...{ desired: after, live: running(before), applied: before },
    networks: ['prod__default'],
  })
  const names = (stages: (change: (typeof changes)[number]) => (typeof changes)[number]['stages']) =>
    changes
      .filter(change => stepsOf(stages(change).flat(), 'await-service').some(({ untilEnded }) => untilEnded))
      .map(({ application }) => application)
  return { rollouts: names(({ stages }) => stages), undos: names(({ undo }) => undo) }
}

describe('what a rollout on a Swarm waits for', () => {
  it('G11 G12 is also the end of what it replaces where something comes after it, and of what an undo takes back', () => {
    expect(waiting(wanted('1'), wanted('2'))).to.deep.equal({
      rollouts: ['db'],
      undos: ['blog', 'db', 'shop'],
    })
  })

  it('H10 G12 is also the end of what it replaces before a post hook', () => {
    const { rollouts } = waiting(wanted('1', ['post']), wanted('2', ['post']))
    expect(rollouts).to.deep.equal(['blog', 'db', 'shop'])
  })
})
