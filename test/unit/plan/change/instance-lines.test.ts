import { expect } from 'chai'
import type { LiveContainer } from '../../../../lib/state/running/live.ts'
import { changed, desired, live, type ServiceParts } from '../../../support/builders/builders.ts'
import { onlyChange, planOf, type Situation } from '../../../support/builders/planning.ts'

/** What a change says of each instance: `~ web.1 ran before`. */
function linesOf(situation: Situation): readonly string[] {
  return onlyChange(planOf(situation)).lines.map(({ sign, name, reason }) => `${sign} ${name} ${reason}`)
}

const parts: ServiceParts = { tag: '1', jobs: ['pre', 'post'] }
const state = desired(parts)
const [running] = live(state).containers
if (running === undefined) throw new Error('there is one')

/** A job that has ended, of this rollout under the name that the plan gives it, or of another one. */
function job(name: string, suffix?: string): LiveContainer {
  const steps = onlyChange(planOf({ desired: state, live: live() })).stages.flat()
  const created = steps.find(step => step.do === 'create-container' && step.spec.name === name)
  if (created?.do !== 'create-container') throw new Error(`there is no ${name}`)
  const engineName = suffix === undefined ? created.container : `prod.web.${name}.${suffix}`
  return {
    ...running,
    engineName,
    container: name,
    role: 'hook',
    state: 'exited',
    exitCode: 0,
  } as LiveContainer
}

const beside = (...more: readonly LiveContainer[]) => ({
  site: 'local',
  containers: [...live(state).containers, ...more],
})

describe('the lines of a change, where nothing is wrong with an instance', () => {
  it('G7 H22 name the jobs of a rollout that was interrupted', () => {
    expect(linesOf({ desired: state, live: beside(job('pre')), attempt: state })).to.deep.equal([
      '~ web pre of a rollout that was interrupted',
    ])
  })

  it('G7 H9 name what jobs left behind, each kind once', () => {
    const left = [job('pre', '00000001'), job('pre', '00000002'), job('post', '00000001')]
    expect(linesOf({ desired: state, live: beside(...left), applied: state })).to.deep.equal([
      '~ web pre left over from an interrupted rollout',
      '~ web post left over from an interrupted rollout',
    ])
  })
})

describe('the lines of a change, where something is wrong with an instance', () => {
  it('G7 name no job that is cleared away besides', () => {
    const there = beside(job('pre', '00000001'))
    const stopped = changed(there, 'web.1', { state: 'exited', exitCode: 1 })
    const containers = stopped.containers.map(one => (one.role === 'hook' ? job('pre', '00000001') : one))
    expect(linesOf({ desired: state, live: { ...stopped, containers }, applied: state })).to.deep.equal([
      '~ web.1 stopped (exit code 1)',
    ])
    const more = live(desired({ ...parts, replicas: 2 }))
    const surplus = { ...more, containers: [...more.containers, job('pre', '00000001')] }
    expect(linesOf({ desired: state, live: surplus, applied: state })).to.deep.equal([
      '- web.2 more instances than wanted',
    ])
  })

  it('G7 tell each reason once for all containers of an instance', () => {
    const pod = desired({ tag: '1', beside: ['log'] })
    const gone = changed(live(pod), 'web.1', { state: 'paused' })
    expect(linesOf({ desired: pod, live: gone, applied: pod })).to.deep.equal(['~ web.1 paused'])
  })

  it('G7 H29 tell what stopped from what was left beside it and never started, each with its own reason', () => {
    const [before, after] = [desired({ tag: '1' }), desired({ tag: '2' })]
    const stopped = changed(live(before), 'web.1', { state: 'exited', exitCode: 137 })
    const left = changed(live(after), 'web.1', { state: 'created' })
    const there = { site: 'local', containers: [...stopped.containers, ...left.containers] }
    const lines = linesOf({ desired: before, live: there, applied: before })
    expect(lines.map(line => line.replace(/web\.1\.[0-9a-f]{8} /, 'web.1.… '))).to.deep.equal([
      '~ web.1.… stopped (exit code 137)',
      '- web.1.… another version is still there',
    ])
    expect(new Set(lines.map(line => line.split(' ')[1])).size).to.equal(2)
  })

  it('G7 E25 tell instances with one number apart, as they run different images', () => {
    const both = desired({ tags: ['1', '2'] })
    const lines = linesOf({ desired: both, live: { site: 'local', containers: [] } })
    const [one, two] = lines.map(line => line.split(' ')[1])
    expect(lines).to.deep.equal([`+ ${one} not deployed yet`, `+ ${two} not deployed yet`])
    expect([one, two].map(name => name?.replace(/[0-9a-f]{8}$/, '…'))).to.deep.equal(['web.1.…', 'web.1.…'])
    expect(one).to.not.equal(two)
  })
})
