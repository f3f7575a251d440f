import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { EngineAnswer, EngineRequest } from '../../../lib/docker/api/connection/dial.ts'
import { runToEnd } from '../../../lib/docker/job/run-to-end.ts'
import { Failure } from '../../../lib/errors.ts'
import type { PostMortem } from '../../../lib/state/pass/post-mortem.ts'
import { asOne } from '../../../lib/swarm/api/managers.ts'
import { logOfTask } from '../../../lib/swarm/logs.ts'
import { awaitService } from '../../../lib/swarm/steps/await-service.ts'
import { serviceJob } from '../../../lib/swarm/steps/service-job.ts'
import { later } from '../../../lib/wait/timer.ts'
import { identity } from '../../support/builders/builders.ts'
import { clientWith } from '../docker/answering.ts'
import { labelsOf, managerOf } from './manager.ts'

const owner = identity('prod')
const { signal } = new AbortController()
const unread = 'what it wrote cannot be read within 5 s'

/** A manager that answers at once, but for the log of a task of which the node is lost, and its limit of 30 s. */
function manager(exitCode: number) {
  const TaskTemplate = { ContainerSpec: { Image: 'web:1' }, ForceUpdate: 1 }
  const Spec = {
    Name: 'prod_web',
    Labels: labelsOf(owner),
    TaskTemplate,
    Mode: { Replicated: { Replicas: 1 } },
  }
  const service = { ID: 's', Version: { Index: 1 }, Spec }
  const task = {
    ...{ ID: 't', ServiceID: 's', NodeID: 'n', Spec: TaskTemplate, DesiredState: 'shutdown' },
    CreatedAt: '2026-01-01T00:00:00Z',
    Status: {
      ...{ Timestamp: '2026-01-01T00:00:00Z', State: exitCode === 0 ? 'complete' : 'failed' },
      ...{ Err: exitCode === 0 ? '' : `task: non-zero exit (${exitCode})` },
      ...{ Message: 'started', ContainerStatus: { ExitCode: exitCode } },
    },
  }
  const answers: Readonly<Record<string, unknown>> = {
    ...{ '/swarm': { ID: 'swarm' }, '/services/prod_web': service, '/services': [service] },
    ...{ '/tasks': [task, task, task], '/tasks/t': task },
  }
  return clientWith(async <T>({ path }: EngineRequest, until: AbortSignal): Promise<EngineAnswer<T>> => {
    if (!path.endsWith('/logs')) return { ok: true, body: answers[path] as T }
    const { promise, reject } = Promise.withResolvers<never>()
    later(30_000, () => reject(new Failure('engine-unreachable', 'it did not answer within 30 s')))
    until.addEventListener('abort', () => reject(new Failure('interrupted', 'stopped')))
    return promise
  })
}

/** What comes of some work with two such managers, and which of them is asked in the end. */
async function comesOf(
  exitCode: number,
  work: (managers: ReturnType<typeof asOne>, note: Note) => Promise<void>,
) {
  mock.method(performance, 'now', () => passedMs)
  mock.timers.enable({ apis: ['setTimeout'] })
  let passedMs = 0
  let isOver = false
  const [noted, records]: [string[], PostMortem[]] = [[], []]
  const managers = asOne([manager(exitCode), manager(exitCode)])
  const end = work(managers, (words, record) => {
    noted.push(words)
    if (record !== undefined) records.push(record)
  })
    .then(
      () => 'done',
      (error: Failure) => `${error.code}: ${error.message}`,
    )
    .finally(() => {
      isOver = true
    })
  while (!isOver) {
    for (let turns = 0; turns < 20 && !isOver; turns += 1) await turn()
    mock.timers.tick(500)
    passedMs += 500
  }
  return { end: await end, noted, records, asked: managers.seen().map(({ isAsked }) => isAsked), passedMs }
}

type Note = (words: string, record?: PostMortem) => void

describe('a log of a Swarm that hangs', () => {
  afterEach(() => {
    mock.timers.reset()
    mock.restoreAll()
  })

  const step = { do: 'run-to-end', container: 'prod_web', onFailure: 'abort' } as const
  const job: Parameters<typeof comesOf>[1] = async (managers, note) =>
    void (await runToEnd(serviceJob(managers, 'prod_web', owner), step, signal, note))

  it('G17 H7 costs a job that has ended a note, and neither the wait for it nor the manager', async () => {
    const { end, noted, asked, passedMs } = await comesOf(0, job)
    expect({ end, noted, asked }).to.deep.equal({ end: 'done', noted: [unread], asked: [true, false] })
    expect(passedMs).to.be.lessThan(6_000)
  })

  it('H7 keeps the record of a job that failed, which says so', async () => {
    const { end, records, asked } = await comesOf(3, job)
    expect(end).to.equal(`job-failed: local: prod_web: an earlier try failed with exit code 3: ${unread}`)
    expect(records).to.have.lengthOf(1)
    expect(records[0]).to.deep.include({ exitCode: 3, error: unread, lines: [] })
    expect(asked).to.deep.equal([true, false])
  })

  it('G17 is given up by who reads it, without a word against the manager', async () => {
    const { end, asked, passedMs } = await comesOf(0, async managers => {
      for await (const _ of logOfTask(managers, 't', { follow: true }, signal)) return
    })
    expect(end).to.equal('engine-unreachable: local: task t: its node tells nothing of its log for 10 s')
    expect(asked).to.deep.equal([true, false])
    expect(passedMs).to.be.lessThan(11_000)
  })

  it('H7 keeps the record of a service whose tasks fail', async () => {
    const { end, records, asked } = await comesOf(3, (managers, note) =>
      awaitService(
        managerOf(managers),
        { do: 'await-service', service: 'prod_web', parallelism: 1, healthyMs: 0, timeoutMs: 60_000 },
        { ...owner, commit: 'c0ffee' },
        signal,
        note,
      ),
    )
    expect(end).to.equal('exited-early: local: prod_web: its tasks fail: task: non-zero exit (3)')
    expect(records).to.have.lengthOf(1)
    expect(records[0]).to.deep.include({ exitCode: 3, error: unread, lines: [] })
    expect(asked).to.deep.equal([true, false])
  })
})
