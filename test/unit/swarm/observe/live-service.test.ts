import { expect } from 'chai'
import { label } from '../../../../lib/state/labels.ts'
import type { Task, ToldService } from '../../../../lib/swarm/api/service.ts'
import { toLiveService } from '../../../../lib/swarm/observe/live-service.ts'
import { identity } from '../../../support/builders/builders.ts'
import { labelsOf } from '../manager.ts'

function told(role: string, replicas: number, tries = 0): ToldService {
  return {
    ID: 's',
    Version: { Index: 1 },
    Spec: {
      Name: role === 'app' ? 'prod_web' : 'prod_web_pre_01234567',
      Labels: { ...labelsOf(identity('prod')), [label.role]: role },
      TaskTemplate: { ContainerSpec: { Image: 'web:1' }, ForceUpdate: tries },
      Mode: { Replicated: { Replicas: replicas } },
    },
  }
}

const task = (State: string): Task => ({
  ...{ ID: 't', ServiceID: 's', DesiredState: 'running' },
  Spec: { ContainerSpec: { Image: 'web:1' }, ForceUpdate: 1 },
  Status: { Timestamp: '2026-01-01T00:00:00Z', State },
})

const seen = (service: ToldService, ...tasks: readonly Task[]) =>
  toLiveService(service, tasks, {
    mark: {},
    names: new Map([
      ['n1', 'big'],
      ['n2', 'small'],
    ]),
  })

describe('a service of a Swarm as it is seen', () => {
  it('H29 G13 is stopped where it is told to have no tasks, and starts where some do not run yet', () => {
    expect(seen(told('app', 1), task('running'))).to.deep.include({ state: 'running', health: 'none' })
    expect(seen(told('app', 1))).to.deep.include({ state: 'running', health: 'starting' })
    expect(seen(told('app', 0))).to.deep.include({ state: 'exited' })
  })

  it('D17 bears what a journal counted before it was made', () => {
    const service = told('app', 1)
    const Labels = { ...service.Spec.Labels, [label.record]: 'f00d 7 edge-1' }
    const counted = { ...service, Spec: { ...service.Spec, Labels } }
    expect(seen(counted)).to.deep.equal({ ...seen(service), record: 'f00d 7 edge-1' })
  })

  it('G13 runs its tasks on nodes, which are called by their names, or by their ids once they have left', () => {
    const on = (NodeID: string) => ({ ...task('running'), NodeID })
    const there = seen(told('app', 4), on('n2'), on('n1'), on('n2'), on('n3'), {
      ...task('failed'),
      NodeID: 'n1',
    })
    expect(there?.runs?.nodes).to.deep.equal([
      { node: 'big', id: 'n1', running: 1 },
      { node: 'n3', id: 'n3', running: 1 },
      { node: 'small', id: 'n2', running: 2 },
    ])
    const alike = toLiveService(told('app', 2), [on('n2'), on('n1')], {
      mark: {},
      names: new Map([
        ['n1', 'vm'],
        ['n2', 'vm'],
      ]),
    })
    expect(alike?.runs?.nodes, 'two nodes of one name').to.deep.equal([
      { node: 'vm', id: 'n1', running: 1 },
      { node: 'vm', id: 'n2', running: 1 },
    ])
  })

  it('G13 says what a paused node keeps of an earlier release, also if as many run as the Swarm wants', () => {
    const service = told('app', 1)
    const every = { ...service, Spec: { ...service.Spec, Mode: { Global: {} } } }
    const kept = { ...task('running'), NodeID: 'n2', Spec: { ContainerSpec: { Image: 'web:0' } } }
    const there = seen(every, { ...task('running'), NodeID: 'n1' }, kept)
    expect(there).to.deep.include({ health: 'none', status: '2 of 2 tasks run' })
    expect(there?.runs?.why).to.equal('1 task of an earlier release goes on, whose node takes no new ones')
  })

  it('H22 is a hook with the state of its last try, and stands for no instance', () => {
    expect(seen(told('hook', 0))).to.deep.include({ role: 'hook', state: 'created' })
    expect(seen(told('hook', 1, 1), task('running'))).to.deep.include({ role: 'hook', state: 'running' })
    const ended = seen(told('deploy', 1, 1), task('complete'))
    expect(ended).to.deep.include({ role: 'deploy', state: 'exited', exitCode: 0 })
    expect(ended).not.to.have.property('runs')
  })

  it('G10 is left alone where its labels are not ours', () => {
    const service = told('app', 1)
    expect(seen({ ...service, Spec: { ...service.Spec, Labels: {} } })).to.equal(undefined)
  })
})
