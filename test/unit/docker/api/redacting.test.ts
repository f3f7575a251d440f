import { expect } from 'chai'
import type { Client } from '../../../../lib/docker/api/client.ts'
import type { EngineAnswer } from '../../../../lib/docker/api/connection/dial.ts'
import { redacting } from '../../../../lib/docker/api/redacting.ts'
import { tasksBy } from '../../../../lib/swarm/api/tasks.ts'
import { redactor } from '../../../../lib/text/redaction/redact.ts'

const { signal } = new AbortController()

function hidingFrom(answer: EngineAnswer<unknown>): Client {
  return redacting({ call: async () => answer } as unknown as Client, redactor(['hunter2']))
}

describe('what an engine says', () => {
  it('G16 has no secret in it where it refuses with what it was given', async () => {
    const message = 'expanding env "PASSWORD=hunter2": no such function'
    const client = hidingFrom({ ok: false, status: 400, message })
    expect(await client.call({ method: 'POST', path: '/services/create' }, signal)).to.deep.equal({
      ...{ ok: false, status: 400, message: 'expanding env "PASSWORD=[REDACTED]": no such function' },
    })
  })

  it('G16 has no secret in it where a task of a Swarm failed with what it was given', async () => {
    const Status = { Timestamp: '2026-01-01T00:00:00Z', State: 'rejected', Err: 'bad hunter2' }
    const [task] = await tasksBy(hidingFrom({ ok: true, body: [{ ID: 't', Status }] }), {}, signal)
    expect(task?.Status).to.deep.equal({ ...Status, Err: 'bad [REDACTED]' })
  })
})
