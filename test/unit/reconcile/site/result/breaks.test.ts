import { expect } from 'chai'
import { breaksOf, revivedIn } from '../../../../../lib/reconcile/site/result/breaks.ts'
import type { Instance } from '../../../../../lib/state/application/application.ts'
import type { LiveContainer } from '../../../../../lib/state/running/live.ts'
import {
  application,
  changed,
  container,
  desired,
  instance,
  live,
  service,
} from '../../../../support/builders/builders.ts'

/** What is wrong with the application `web` of one container with such a restart policy, which looks like this now. */
function breakOf(parts: Partial<LiveContainer>, name: 'unless-stopped' | 'on-failure' = 'unless-stopped') {
  const one: Instance = { ...instance(), containers: [{ ...container(), restart: { name } }] }
  const state = desired(application('web', [{ ...service(), instances: [one] }]))
  return breaksOf(changed(live(state), 'web.1', parts), state).get('web')
}

describe('what is wrong with an application', () => {
  it('A33 somebody stopped it, where the engine would have started it again', () => {
    expect(breakOf({ state: 'exited', exitCode: 137 })).to.equal('stopped')
    expect(breakOf({ state: 'exited', exitCode: 0 })).to.equal('stopped')
    expect(breakOf({ state: 'removing' })).to.equal('stopped')
    expect(breakOf({ state: 'paused' })).to.equal('stopped')
  })

  it('A33 it ended by itself, where the engine starts it again now, or leaves it alone', () => {
    expect(breakOf({ state: 'restarting', exitCode: 9 })).to.equal('ended')
    expect(breakOf({ state: 'exited', exitCode: 9 }, 'on-failure')).to.equal('ended')
  })

  it('A33 it does badly, where its health check fails or an app of a pod is over', () => {
    expect(breakOf({ state: 'running', health: 'unhealthy' })).to.equal('failing')
    expect(breakOf({ state: 'exited', exitCode: 3, isDone: true })).to.equal('failing')
    expect(breakOf({ state: 'exited', exitCode: 3, role: 'init' })).to.equal('failing')
  })

  it('A33 nothing, while it runs or begins to', () => {
    expect(breakOf({ state: 'running', health: 'none' })).to.equal(undefined)
    expect(breakOf({ state: 'running', health: 'starting' })).to.equal(undefined)
    expect(breakOf({ state: 'created' })).to.equal(undefined)
  })

  it('A33 ends that the engine made up for are told by how often it did', () => {
    const revived = (restarts: number) => [...revivedIn(changed(live(desired({})), 'web.1', { restarts }))]
    expect([revived(1), revived(0)]).to.deep.equal([['web'], []])
  })
})
