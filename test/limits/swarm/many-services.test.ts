import { expect } from 'chai'
import type { EngineRequest } from '../../../lib/docker/api/connection/dial.ts'
import { observeSwarm } from '../../../lib/swarm/observe/observe.ts'
import { identity } from '../../support/builders/builders.ts'
import { clientWith } from '../../unit/docker/answering.ts'
import { labelsOf, managerOf } from '../../unit/swarm/manager.ts'

const { signal } = new AbortController()
const owner = identity('prod')

describe('a Swarm with many services', () => {
  it('G3 is looked at with two list calls, however many there are', async () => {
    const services = Array.from({ length: 1_000 }, (_, at) => ({
      ...{ ID: `s${at}`, Version: { Index: 7 } },
      Spec: {
        ...{ Name: `prod_web${at}`, Labels: labelsOf(owner, `web${at}`) },
        ...{ TaskTemplate: { ContainerSpec: { Image: 'web:1' } }, Mode: { Replicated: { Replicas: 2 } } },
      },
    }))
    const tasks = services.flatMap(({ ID, Spec }) =>
      ['n1', 'n2'].map(NodeID => ({
        ...{ ID: `${ID}.${NodeID}`, ServiceID: ID, NodeID, DesiredState: 'running' },
        ...{ Spec: Spec.TaskTemplate, Status: { Timestamp: '2026-01-01T00:00:00Z', State: 'running' } },
      })),
    )
    const asked: string[] = []
    const client = clientWith(async <T>({ path }: EngineRequest) => {
      asked.push(path)
      const nodes = ['n1', 'n2'].map(ID => ({ ID, Description: { Hostname: ID } }))
      return { ok: true, body: { '/services': services, '/tasks': tasks, '/nodes': nodes }[path] as T }
    })
    const { known: swarm } = managerOf(client)
    const { containers } = await observeSwarm(client, swarm, owner, signal)
    expect(containers.filter(({ runs }) => runs?.running === 2)).to.have.lengthOf(1_000)
    expect(asked, 'the first look asks for the names of nodes').to.deep.equal([
      '/services',
      '/tasks',
      '/nodes',
    ])
    asked.length = 0
    await observeSwarm(client, swarm, owner, signal)
    expect(asked).to.deep.equal(['/services', '/tasks'])
  })
})
