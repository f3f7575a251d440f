import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import type { TasksNow } from '../../../../lib/state/pass/tasks-now.ts'
import type { Task, ToldService } from '../../../../lib/swarm/api/service.ts'
import { awaitService } from '../../../../lib/swarm/steps/await-service.ts'
import { identity } from '../../../support/builders/builders.ts'
import { inPassingTime } from '../../../support/time/passing-time.ts'
import { clientWith } from '../../docker/answering.ts'
import { labelsOf, managerOf } from '../manager.ts'

const owner = identity('prod')
const { signal } = new AbortController()
const step = {
  do: 'await-service',
  ...{ service: 'prod_web', fingerprint: 'v1:f', parallelism: 1, healthyMs: 0, timeoutMs: 60_000 },
} as const

const service: ToldService = {
  ...{ ID: 's', Version: { Index: 1 } },
  Spec: {
    Name: 'prod_web',
    Labels: labelsOf(owner),
    TaskTemplate: { ContainerSpec: { Image: 'web:1' } },
    Mode: { Replicated: { Replicas: 2 } },
  },
}

const task = (State: string, Err?: string): Task => ({
  ...{ ID: 't', ServiceID: 's', Spec: { ContainerSpec: { Image: 'web:1' } }, DesiredState: 'running' },
  Status: { Timestamp: '2026-01-01T00:00:00Z', State, ...(Err === undefined ? {} : { Err }) },
})

/** What is noted while the manager tells of these tasks, one list after the other. */
async function notedOf(...lists: readonly (readonly Task[])[]): Promise<readonly string[]> {
  let looked = 0
  const client = clientWith(async <T>({ path }: EngineRequest) => {
    const body: unknown = path === '/tasks' ? lists[Math.min(looked++, lists.length - 1)] : [service]
    return { ok: true, body: body as T } as const
  })
  const noted: string[] = []
  const by = { ...owner, commit: 'c0ffee' }
  await inPassingTime(() => awaitService(managerOf(client), step, by, signal, words => noted.push(words)))
  return noted
}

describe('the wait for a service of a Swarm', () => {
  const runs = [task('running'), task('running')]

  it('G13 notes in the words of the Swarm why a task waits, once each, and that it does no more', async () => {
    const waits = [task('running'), task('pending', 'no suitable node (insufficient resources on 1 node)')]
    expect(await notedOf(waits, waits, [task('running'), task('starting')], runs)).to.deep.equal([
      'no suitable node (insufficient resources on 1 node)',
      '1 of 2 tasks run',
    ])
  })

  it('G13 notes why tasks fail that are tried again', async () => {
    const fails = [task('failed', 'task: non-zero exit (3)'), task('starting'), task('running')]
    expect(await notedOf(fails, runs)).to.deep.equal(['task: non-zero exit (3)', '2 of 2 tasks run'])
  })

  it('G13 notes nothing of tasks that have no node yet, because they have one in a moment', async () => {
    expect(await notedOf([task('pending'), task('pending')], runs)).to.deep.equal([])
  })

  it('G13 tells how many tasks run now, of which specification, and where, with no call but one for the names', async () => {
    const on = (NodeID: string, one: Task) => ({ ...one, NodeID })
    const old: Task = { ...task('running'), Spec: { ContainerSpec: { Image: 'web:0' } } }
    const ending: Task = { ...old, DesiredState: 'shutdown' }
    const lists = [
      [on('n1', old), on('n2', old), on('n1', task('starting'))],
      [on('n1', old), on('n2', old), on('n1', task('starting'))],
      [on('n1', ending), on('n2', old), on('n1', task('running'))],
      [on('n2', task('running')), on('n1', task('running'))],
    ]
    const paths: string[] = []
    const client = clientWith(async <T>({ path }: EngineRequest) => {
      const looked = paths.filter(one => one === '/tasks').length
      paths.push(path)
      const named = ['one', 'two'].map((Name, at) => ({ ID: `n${at + 1}`, Spec: { Name } }))
      const answers: Readonly<Record<string, unknown>> = { '/services': [service], '/nodes': named }
      const body: unknown = answers[path] ?? lists[looked]
      return { ok: true, body: body as T } as const
    })
    const told: TasksNow[] = []
    const by = { ...owner, commit: 'c0ffee' }
    const tell = (now: TasksNow) => told.push(now)
    await inPassingTime(() => awaitService(managerOf(client), step, by, signal, () => undefined, tell))
    const both = [
      { node: 'one', id: 'n1', running: 1 },
      { node: 'two', id: 'n2', running: 1 },
    ]
    expect(told).to.deep.equal([
      { wanted: 2, running: 0, earlier: 2, nodes: both },
      { wanted: 2, running: 1, earlier: 1, nodes: both },
      { wanted: 2, running: 2, earlier: 0, nodes: both },
    ])
    expect(paths.toSorted()).to.deep.equal([
      '/nodes',
      ...Array.from({ length: 4 }, () => '/services'),
      ...Array.from({ length: 4 }, () => '/tasks'),
    ])
  })
})
