import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import type { Task, ToldService } from '../../../../lib/swarm/api/service.ts'
import { removeService, stopService } from '../../../../lib/swarm/steps/apply-service.ts'
import { identity } from '../../../support/builders/builders.ts'
import { inPassingTime } from '../../../support/time/passing-time.ts'
import { clientWith } from '../../docker/answering.ts'
import { labelsOf, managerOf } from '../manager.ts'

const { signal } = new AbortController()
const owner = identity('prod')
const provenance = { ...owner, commit: 'c0ffee' }

const service: ToldService = {
  ...{ ID: 's', Version: { Index: 7 } },
  Spec: {
    ...{ Name: 'prod_web', Labels: labelsOf(owner), Mode: { Replicated: { Replicas: 2 } } },
    TaskTemplate: { ContainerSpec: { Image: 'web:1' } },
  },
}

const task = (NodeID: string, State: string): Task => ({
  ...{
    ID: `task on ${NodeID}`,
    ServiceID: 's',
    NodeID,
    DesiredState: 'remove',
    Spec: { ContainerSpec: { Image: 'web:1' } },
  },
  Status: { Timestamp: '2026-01-01T00:00:00Z', State },
})

/** A manager of nodes in these states, whose tasks are these, one look after the other. Says which nodes it was asked for. */
function manager(
  states: Readonly<Record<string, string>> | 'forbidden',
  ...looks: readonly (readonly Task[])[]
) {
  const nodes: unknown[] = []
  let looked = 0
  const client = clientWith(async <T>({ method, path, query }: EngineRequest) => {
    const ok = (body: unknown) => ({ ok: true, body: body as T }) as const
    if (path === '/tasks') return ok(looks[Math.min(looked++, looks.length - 1)])
    if (path !== '/nodes') return ok(method === 'GET' ? service : {})
    nodes.push(query?.['filters'])
    if (states === 'forbidden') return { ok: false, status: 403, message: 'forbidden' }
    return ok(Object.entries(states).map(([ID, State]) => ({ ID, Status: { State } })))
  })
  return { manager: managerOf(client), nodes, looked: () => looked }
}

const remove = (of: ReturnType<typeof manager>) =>
  inPassingTime(() => removeService(of.manager, 'prod_web', provenance, signal))

describe('the end of a service of a Swarm', () => {
  it('G17 is not waited for on a node that is down or has left, and is on all others', async () => {
    const [running, ended] = [task('n1', 'running'), task('n1', 'shutdown')]
    const [lost, left] = [task('n2', 'running'), task('n3', 'running')]
    const states = { n1: 'ready', n2: 'down' }
    const both = manager(states, [running, lost, left], [ended, lost, left])
    await remove(both)
    expect(both.looked()).to.equal(2)
    expect(both.nodes, 'only the nodes of tasks that have not ended').to.deep.equal([
      { id: ['n1', 'n2', 'n3'] },
      { id: ['n2', 'n3'] },
    ])
    const stopped = manager(states, [lost])
    await stopService(stopped.manager, { service: 'prod_web', fingerprint: 'v1:f' }, provenance, signal)
    expect(stopped.looked()).to.equal(1)
  })

  it('G17 is waited for where the Swarm does not know what became of the node, or does not say it', async () => {
    const [running, ended] = [task('n1', 'running'), task('n1', 'shutdown')]
    for (const states of [{ n1: 'unknown' }, { n1: 'disconnected' }, 'forbidden'] as const) {
      const one = manager(states, [running], [ended])
      await remove(one)
      expect(one.looked()).to.equal(2)
    }
  })

  it('G24 is no question about nodes where all has ended', async () => {
    const one = manager({}, [task('n1', 'shutdown')])
    await remove(one)
    expect(one.nodes).to.deep.equal([])
  })
})
