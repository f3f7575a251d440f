import { expect } from 'chai'
import type { EngineAnswer, EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { runToEnd } from '../../../../lib/docker/job/run-to-end.ts'
import type { Failure } from '../../../../lib/errors.ts'
import type { PostMortem } from '../../../../lib/state/pass/post-mortem.ts'
import { serviceJob } from '../../../../lib/swarm/steps/service-job.ts'
import { identity } from '../../../support/builders/builders.ts'
import { clientWith } from '../../docker/answering.ts'
import { labelsOf } from '../manager.ts'

const owner = identity('prod')
const { signal } = new AbortController()
const step = { do: 'run-to-end', container: 'prod_web', onFailure: 'abort' } as const

/** What is said of a job whose tries ended like this, what is kept of it, and how often it was told to run. */
async function saidOf(ends: readonly (readonly [state: string, exitCode: number])[], more: object = {}) {
  let tries = 1
  const answer = (path: string) => {
    const [State, ExitCode] = ends[tries - 1] ?? ['running', 0]
    const Spec = { ContainerSpec: { Image: 'web:1' }, ForceUpdate: tries }
    const Mode = { Replicated: { Replicas: 1 } }
    const service = {
      ...{ ID: 's', Version: { Index: tries } },
      Spec: { Name: 'prod_web', Labels: labelsOf(owner), TaskTemplate: Spec, Mode },
    }
    if (path === '/services/prod_web' || path === '/services/s') return service
    if (path === '/services') return [service]
    const Status = { State, Message: 'started', ContainerStatus: { ExitCode } }
    const times = { CreatedAt: '2026-01-01T00:00:00Z', Timestamp: '2026-01-01T00:00:01Z' }
    const task = { ID: 't', ServiceID: 's', NodeID: 'n', Spec, DesiredState: 'shutdown', ...times }
    return path === '/tasks' ? [{ ...task, Status: { ...Status, Timestamp: times.Timestamp } }] : undefined
  }
  const manager = clientWith(async <T>({ method, path }: EngineRequest): Promise<EngineAnswer<T>> => {
    if (method === 'POST') tries += 1
    const body = method === 'POST' ? {} : answer(path)
    if (body === undefined) return { ok: false, status: 404, message: `No such thing: ${path}` }
    return { ok: true, body: body as T }
  })
  const records: PostMortem[] = []
  const note = (_: string, record?: PostMortem) => void (record === undefined || records.push(record))
  const failure = await runToEnd(
    serviceJob(manager, 'prod_web', owner),
    { ...step, ...more },
    signal,
    note,
  ).then(
    () => undefined,
    (error: Failure) => error,
  )
  return { failure, records, tries }
}

describe('a job that the Swarm ended', () => {
  const stopped = 'was stopped by the Swarm before it had ended, as it does if a node is drained'

  it('H7 P7 is said to be stopped by it, with no exit code, and is no success either', async () => {
    for (const exitCode of [0, 143]) {
      const { failure, records } = await saidOf([['shutdown', exitCode]])
      expect(failure?.code).to.equal('job-failed')
      expect(failure?.message).to.match(new RegExp(`^local: prod_web: an earlier try ${stopped}`))
      expect(failure?.hint).to.match(/^The release did not fail by itself\. .*"tallyman retry"/)
      expect(records).to.have.lengthOf(1)
      expect(records[0]?.error).to.match(new RegExp(`^${stopped}`))
      expect(records[0]).not.to.have.property('exitCode')
    }
  })

  it('H7 is told apart from one whose node is lost, and from one that failed by itself', async () => {
    expect((await saidOf([['orphaned', 0]])).failure?.message).to.include(
      'an earlier try was given up by the Swarm, because its node is lost',
    )
    const failed = (await saidOf([['failed', 3]])).failure
    expect(failed?.message).to.include('an earlier try failed with exit code 3')
    expect(failed?.hint).to.match(/^Read its output/)
  })
  it('H22 runs once more where somebody says retry', async () => {
    const { failure, tries } = await saidOf(
      [
        ['shutdown', 0],
        ['complete', 0],
      ],
      { again: true },
    )
    expect([failure, tries]).to.deep.equal([undefined, 2])
  })
})
