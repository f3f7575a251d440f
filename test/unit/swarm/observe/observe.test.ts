import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { label } from '../../../../lib/state/labels.ts'
import type { Task, ToldService } from '../../../../lib/swarm/api/service.ts'
import { observeSwarm } from '../../../../lib/swarm/observe/observe.ts'
import { identity } from '../../../support/builders/builders.ts'
import { clientWith } from '../../docker/answering.ts'
import { managerOf } from '../manager.ts'

const owner = identity('prod')
const { signal } = new AbortController()

const service = (name: string, more: Readonly<Record<string, string>> = {}): ToldService => ({
  ...{ ID: name, Version: { Index: 1 } },
  Spec: {
    Name: label.role in more ? `prod_${name}_pre_01234567` : `prod_${name}`,
    Labels: {
      ...{ [label.environment]: owner.environment, [label.source]: owner.source },
      ...{ [label.application]: name, [label.service]: name, [label.container]: name },
      ...{ [label.fingerprint]: 'v1:f', ...more },
    },
    TaskTemplate: { ContainerSpec: { Image: 'web:1' }, ForceUpdate: 1 },
    Mode: { Replicated: { Replicas: 1 } },
  },
})

const task = (
  ServiceID: string,
  DesiredState: string,
  State: string,
  more: Partial<Task['Status']> = {},
): Task => ({
  ...{ ID: `${ServiceID} ${State}`, ServiceID, NodeID: 'n1', DesiredState },
  Spec: { ContainerSpec: { Image: 'web:1' }, ForceUpdate: 1 },
  Status: { Timestamp: '2026-01-01T00:00:00Z', State, ...more },
})

/** What is seen of these services, and the questions about tasks. */
async function seenOf(
  services: readonly ToldService[],
  tasks: readonly Task[],
  gone: readonly string[] = [],
) {
  const asked: (readonly string[])[] = []
  const client = clientWith(async <T>({ path, query }: EngineRequest) => {
    if (path === '/services') return { ok: true, body: services as T }
    if (path === '/nodes') return { ok: true, body: [] as T }
    const filters = query?.['filters'] as Partial<Record<string, readonly string[]>> | undefined
    const { service: of, 'desired-state': states } = filters ?? {}
    asked.push(of ?? states ?? [])
    if (of?.some(id => gone.includes(id))) return { ok: false, status: 404, message: 'not found' }
    const told = tasks.filter(
      one => (of?.includes(one.ServiceID) ?? true) && (states?.includes(one.DesiredState) ?? true),
    )
    return { ok: true, body: told as T }
  })
  const { containers } = await observeSwarm(client, managerOf(client).known, owner, signal)
  return { asked, seen: containers.map(one => `${one.application}: ${one.runs?.why ?? one.status}`) }
}

describe('what is seen of a Swarm', () => {
  const runs = [
    task('web', 'running', 'running'),
    ...Array.from({ length: 5 }, () => task('web', 'shutdown', 'shutdown')),
  ]
  const fails = [
    task('api', 'ready', 'ready'),
    task('api', 'shutdown', 'failed', { Err: 'task: non-zero exit (3)' }),
  ]
  const wanted = ['running', 'ready', 'complete']

  it('G3 are the tasks that should run, and not those that were replaced long ago', async () => {
    expect(await seenOf([service('web')], runs)).to.deep.equal({
      asked: [wanted],
      seen: ['web: 1 of 1 tasks run'],
    })
  })

  it('G13 H22 are the earlier tasks, too, of a service that is short of one, and of hooks and phases', async () => {
    const hook = service('hook', { [label.role]: 'hook' })
    const ended = task('hook', 'shutdown', 'complete', { ContainerStatus: { ExitCode: 0 } })
    const services = [service('api'), hook, service('web')]
    expect(await seenOf(services, [...runs, ...fails, ended])).to.deep.equal({
      asked: [wanted, ['api', 'hook']],
      seen: ['api: task: non-zero exit (3)', 'hook: Exited (0)', 'web: 1 of 1 tasks run'],
    })
  })

  it('D18 are what was told first where one of them is removed in between', async () => {
    const services = [service('api'), service('web')]
    const { seen } = await seenOf(services, [...runs, ...fails], ['api'])
    expect(seen).to.deep.equal(['api: ', 'web: 1 of 1 tasks run'])
  })
})
