import { expect } from 'chai'
import {
  conditionOf,
  restartsOf,
} from '../../../../../lib/reconcile/status/application/sync-and-health/condition-text.ts'
import type { LiveContainer } from '../../../../../lib/state/running/live.ts'
import { changed, desired, live } from '../../../../support/builders/builders.ts'

const [running] = live(desired({})).containers as [LiveContainer]

const app = (name: string, parts: Partial<LiveContainer> = {}): LiveContainer => ({
  ...running,
  container: name,
  ...parts,
})
const ended = (container: string, exitCode: number) =>
  app(container, { state: 'exited', exitCode, mayEnd: true, isDone: true })

describe('what status says of containers as they are', () => {
  for (const [what, containers, words] of [
    ['nothing of those that run', [app('a'), app('b')], undefined],
    ['that all have run to their end', [ended('a', 0), ended('b', 0)], 'complete'],
    ['which have run to their end', [ended('a', 0), app('b')], 'has run to its end: a'],
    [
      'once what has run to its end in several instances',
      [ended('a', 0), ended('a', 0), app('b')],
      'has run to its end: a',
    ],
    [
      'every one that has failed',
      [ended('a', 3), ended('b', 0), ended('c', 1)],
      'a has ended with exit code 3, and is not started again; c has ended with exit code 1, and is not started again',
    ],
    [
      'which one ends again and again',
      [app('a', { state: 'restarting' }), app('b')],
      'a ends again and again, and the engine starts it anew',
    ],
    [
      'what goes on of an earlier release, though all tasks run',
      [app('a', { runs: { mark: {}, replicas: 'global', wanted: 2, running: 2, why: '1 task goes on' } })],
      'web: 1 task goes on',
    ],
    [
      'that a Swarm has paused an update, and why',
      [
        app('a', {
          runs: { mark: {}, replicas: 2, wanted: 2, running: 1, update: 'paused', why: 'it ended' },
        }),
      ],
      '1 of 2 tasks of web run, the Swarm has paused its update: it ended',
    ],
    [
      'of which services tasks are missing, whatever their containers are called',
      ['web', 'worker'].map(service =>
        app('main', { service, runs: { mark: {}, replicas: 1, wanted: 1, running: 0 } }),
      ),
      '0 of 1 task of web run; 0 of 1 task of worker run',
    ],
    ['whose health check fails', [app('a', { health: 'unhealthy' })], 'the health check of a fails'],
  ] as const)
    it(`G13 X5 ${what}`, () => {
      expect(conditionOf(containers)).to.equal(words)
    })
})

describe('how often an application was started again', () => {
  it('G13 is told by the container that ended most often, unless it has run for a day since', () => {
    const two = live(desired({ replicas: 2 }))
    const told = (status: string, restarts: number) =>
      restartsOf(changed(changed(two, 'web.1', { restarts: 2 }), 'web.2', { restarts, status }).containers)
    expect(told('Up 9 seconds', 6)).to.equal(6)
    expect(told('Up 22 hours', 6)).to.equal(6)
    expect(told('Up 2 days', 6)).to.equal(2)
    expect(restartsOf(two.containers)).to.equal(undefined)
  })
})
