import { expect } from 'chai'
import fc from 'fast-check'
import type { Client } from '../../../lib/docker/api/client.ts'
import type { EngineAnswer, EngineRequest } from '../../../lib/docker/api/connection/dial.ts'
import { Failure } from '../../../lib/errors.ts'
import { asOne } from '../../../lib/swarm/api/managers.ts'

/** The Swarm of which an engine is a manager; `none`: of no one. `lost`: nobody answers. */
const state = fc.constantFrom('first', 'first', 'other', 'none', 'lost')
const event = fc.oneof(
  fc.record({ manager: fc.nat(2), becomes: state }),
  fc.record({ asked: fc.constantFrom('GET' as const, 'POST' as const) }),
)

describe('the managers of a Swarm', () => {
  it('G4 D18 are asked nothing but who they are while they are of another Swarm, whatever becomes of them in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async events => {
        const states = ['first', 'first', 'first']
        const reached: (string | undefined)[] = []
        let nowMs = 0
        const clients = states.map((_, at) => ({
          site: 'cluster',
          call: async ({ path }: EngineRequest): Promise<EngineAnswer<unknown>> => {
            const is = states[at]
            if (is === 'lost') throw new Failure('engine-unreachable', 'nobody answers')
            if (path !== '/swarm') reached.push(is)
            if (is === 'none') return { ok: false, status: 503, message: 'This node is not a swarm manager.' }
            return { ok: true, body: { ID: is } }
          },
        })) as unknown as [Client, ...Client[]]
        const one = asOne(clients, [], () => nowMs)
        const ask = (method: 'GET' | 'POST') =>
          one.call({ method, path: '/services' }, new AbortController().signal).catch(() => undefined)
        await ask('GET')
        for (const next of events) {
          if ('asked' in next) await ask(next.asked)
          else {
            states[next.manager] = next.becomes
            // Who leaves a Swarm and begins another one needs as long.
            nowMs += 1_000
          }
        }
        expect(reached).not.to.include('other')
      }),
    )
  })
})
