import { expect } from 'chai'
import { groupInstances } from '../../../../lib/plan/compare/instance/instance.ts'
import { remove } from '../../../../lib/plan/rollout/remove.ts'
import type { LiveContainer } from '../../../../lib/state/running/live.ts'
import { changed, desired, live } from '../../../support/builders/builders.ts'
import { told } from '../../../support/builders/planning.ts'

const there = changed(live(desired({ tag: '1', replicas: 2 })), 'web.2', { state: 'exited', exitCode: 0 })
const [running] = there.containers
if (running === undefined) throw new Error('there is one')
const job = (name: string, role: 'hook' | 'deploy', state: 'running' | 'exited'): LiveContainer => ({
  ...running,
  engineName: `prod.web.${name}`,
  container: name,
  role,
  state,
})

describe('the removal of a service', () => {
  it('D3 H6 P7 ends its jobs, stops what runs, removes all of it, and has nothing to undo', () => {
    const jobs = [
      job('pre', 'hook', 'running'),
      job('deploy', 'deploy', 'running'),
      job('post', 'hook', 'exited'),
    ]
    const { stages, finish, ...rest } = remove(groupInstances(there.containers), jobs, 'no instances wanted')
    expect(told(stages, there)).to.deep.equal([
      'abort-hook prod.web.pre, await-end prod.web.deploy',
      'put-away prod.web.pre, prod.web.deploy, prod.web.post',
      'stop-container web.1@1',
    ])
    expect(told(finish, there)).to.deep.equal([
      'remove-container web.1@1, web.2@1, prod.web.pre, prod.web.deploy, prod.web.post',
    ])
    expect(rest).to.deep.equal({
      strategy: 'none',
      strategyReason: 'no instances wanted',
      downtime: false,
      undo: [],
    })
  })
})
