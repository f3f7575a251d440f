import { expect } from 'chai'
import type { Client } from '../../../../lib/docker/api/client.ts'
import type { EngineAnswer } from '../../../../lib/docker/api/connection/dial.ts'
import type { Task } from '../../../../lib/swarm/api/service.ts'
import { knowNodes } from '../../../../lib/swarm/observe/nodes.ts'

const { signal } = new AbortController()

const on = (NodeID: string): Task => ({
  ...{ ID: 't', ServiceID: 's', NodeID, DesiredState: 'running', Spec: {} },
  Status: { Timestamp: '2026-01-01T00:00:00Z', State: 'running' },
})

/** A manager that answers so, and how often it was asked. */
function manager(answer: EngineAnswer<unknown>) {
  const known = new Map<string, string>()
  let asked = 0
  const client = {
    call: async () => {
      asked += 1
      return answer
    },
  } as unknown as Client
  return {
    know: (...ids: readonly string[]) => knowNodes(client, known, ids.map(on), signal),
    told: () => ({ asked, known: Object.fromEntries(known) }),
  }
}

describe('the nodes of a Swarm', () => {
  it('G3 are asked for once, and again only when an unknown one runs a task', async () => {
    const node = { ID: 'n1', Spec: {}, Description: { Hostname: 'big' } }
    const { know, told } = manager({ ok: true, body: [node, { ...node, ID: 'n2', Spec: { Name: 'small' } }] })
    await know()
    expect(told().asked, 'no task runs').to.equal(0)
    await know('n1')
    await know('n1', 'n2', '')
    expect(told()).to.deep.equal({ asked: 1, known: { n1: 'big', n2: 'small' } })
    await know('n3')
    await know('n3')
    expect(told()).to.deep.equal({ asked: 2, known: { n1: 'big', n2: 'small', n3: 'n3' } })
  })

  it('G17 are called by their ids where the manager tells nobody of them, which holds up nothing', async () => {
    const { know, told } = manager({ ok: false, status: 403, message: 'forbidden' })
    await know('n1')
    await know('n1')
    expect(told()).to.deep.equal({ asked: 1, known: { n1: 'n1' } })
  })
})
