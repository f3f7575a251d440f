import { expect } from 'chai'
import type { Task, ToldService } from '../../../../../lib/swarm/api/service.ts'
import { lastTryOf, waitOfTry } from '../../../../../lib/swarm/observe/task/try-of-job.ts'

/** A job after so many tries, which is meant to run once, or no more. */
function job(tries: number, times = 1): ToldService {
  return {
    ID: 's',
    Version: { Index: 1 },
    Spec: {
      Name: 'prod_web_pre_01234567',
      Labels: {},
      TaskTemplate: { ContainerSpec: { Image: 'web:2' }, ForceUpdate: tries },
      Mode: { Replicated: { Replicas: times } },
    },
  }
}

function task(State: string, status: Partial<Task['Status']> = {}, run = 1, ServiceID = 's'): Task {
  return {
    ID: `${State} ${run}`,
    ServiceID,
    Spec: { ForceUpdate: run },
    DesiredState: 'running',
    Status: { Timestamp: '2026-01-01T00:00:00Z', State, ...status },
  }
}

describe('the last try of a job of a Swarm', () => {
  it('H22 is none before the job is told to run', () => {
    expect(lastTryOf(job(0, 0), [])).to.deep.equal({ state: 'created' })
  })

  it('is up until its task has ended, also where none was made or placed yet, or its node is lost', () => {
    expect(lastTryOf(job(1), [])).to.deep.equal({ state: 'up' })
    for (const state of ['new', 'pending', 'assigned', 'preparing', 'starting', 'running'])
      expect(lastTryOf(job(1), [task(state)]), state).to.deep.include({ state: 'up' })
    const lost: Task = { ...task('running'), DesiredState: 'shutdown' }
    expect(lastTryOf(job(1), [lost])).to.deep.include({ state: 'up' })
  })

  it('G13 waits for a node in the words of the Swarm, and says when its node is lost', () => {
    const waits = (...tasks: readonly Task[]) => waitOfTry(lastTryOf(job(1), tasks))
    expect(waits(task('pending', { Err: 'no suitable node' }))).to.equal('no suitable node')
    expect(waits(task('pending')), 'it may have a node in a moment').to.equal(undefined)
    expect(waits({ ...task('running'), DesiredState: 'shutdown' })).to.equal(
      'the Swarm has given it up on its node, which does not say that it has ended',
    )
    expect([waits(task('running')), waits(), waits(task('complete'))]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('H4 ended with what its program exited with', () => {
    expect(lastTryOf(job(1), [task('complete')])).to.deep.include({
      ...{ state: 'ended', exitCode: 0, hasRun: true, words: '' },
    })
    const failed = task('failed', {
      Message: 'started',
      Err: 'task: non-zero exit (3)',
      ContainerStatus: { ExitCode: 3 },
    })
    expect(lastTryOf(job(1), [failed])).to.deep.include({
      ...{ state: 'ended', exitCode: 3, hasRun: true, words: '' },
    })
  })

  it('G13 ended with the words of the Swarm where its program could not be started', () => {
    const words = 'starting container failed: no such file'
    const status = { Message: 'starting', Err: words }
    for (const state of ['failed', 'rejected'])
      expect(lastTryOf(job(1), [task(state, status)]), state).to.deep.include({
        ...{ state: 'ended', exitCode: 1, hasRun: false, words },
      })
  })

  it('H22 has run where its node lost it, so that it is not run again by itself', () => {
    const words = 'No such container: prod_web_pre_01234567.1.abc'
    const status = { Message: 'started', Err: words, ContainerStatus: { ExitCode: 0 } }
    expect(lastTryOf(job(1), [task('failed', status)])).to.deep.include({
      ...{ state: 'ended', exitCode: 1, hasRun: true, words },
    })
  })

  it('H6 ended as one that was killed where it was told to run no more', () => {
    expect(lastTryOf(job(2, 0), [])).to.deep.equal({
      ...{ state: 'ended', exitCode: 137, hasRun: true, words: '' },
    })
  })

  it('H7 counts no task of an earlier try, or of another job', () => {
    const tasks = [task('complete', {}, 1), task('running', {}, 2), task('complete', {}, 2, 'other')]
    expect(lastTryOf(job(2), tasks)).to.deep.include({ state: 'up', task: tasks[1] })
  })
})
