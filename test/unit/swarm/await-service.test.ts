import { expect } from 'chai'
import type { EngineRequest } from '../../../lib/docker/api/connection/dial.ts'
import type { Task, ToldService } from '../../../lib/swarm/api/service.ts'
import { awaitService } from '../../../lib/swarm/steps/await-service.ts'
import { identity } from '../../support/builders.ts'
import { clientWith } from '../docker/answering.ts'
import { labelsOf, managerOf } from './manager.ts'

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
  await awaitService(managerOf(client), step, { ...owner, commit: 'c0ffee' }, signal, words =>
    noted.push(words),
  )
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
})
