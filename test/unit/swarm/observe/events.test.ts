import { PassThrough, Readable } from 'node:stream'
import { expect } from 'chai'
import type { Client } from '../../../../lib/docker/api/client.ts'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { swarmName } from '../../../../lib/state/application/swarm/swarm-service.ts'
import { asOne } from '../../../../lib/swarm/api/managers.ts'
import { watchSwarm } from '../../../../lib/swarm/observe/events.ts'
import { identity } from '../../../support/builders/builders.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { clientWith } from '../../docker/answering.ts'

const { signal } = new AbortController()

/** Two managers, of which the first is demoted sooner or later. Their streams stay open whatever becomes of them. */
function twoManagers() {
  const streams: PassThrough[] = []
  const now = { isDemoted: false, isOpening: Promise.withResolvers<void>(), opens: Promise.resolve() }
  const manager = (isFirst: boolean): Client =>
    clientWith(async <T>({ path }: EngineRequest) => {
      if (path === '/events') {
        now.isOpening.resolve()
        await now.opens
        const stream = new PassThrough()
        streams.push(stream)
        return { ok: true, body: stream as T } as const
      }
      if (isFirst && now.isDemoted)
        return { ok: false, status: 503, message: 'This node is not a swarm manager.' } as const
      return { ok: true, body: { ID: 'swarm' } as T } as const
    })
  return { now, streams, managers: asOne([manager(true), manager(false)]) }
}

describe('the events of a Swarm', () => {
  it('D2 G17 are heard from the manager that is asked by now, although the one before keeps its stream open', async () => {
    const { now, streams, managers } = twoManagers()
    const listening = Promise.withResolvers<void>()
    const ended = failureOf(
      watchSwarm(managers, identity('prod'), () => undefined, signal, listening.resolve),
    )
    await listening.promise
    now.isDemoted = true
    await managers.call({ method: 'GET', path: '/services' }, signal)
    expect((await ended).code).to.equal('swarm-unavailable')
    expect(streams.map(({ destroyed }) => destroyed)).to.deep.equal([true])
  })

  it('D2 G17 are heard from no manager that was left while it began to tell of them', async () => {
    const { now, streams, managers } = twoManagers()
    const opens = Promise.withResolvers<void>()
    now.opens = opens.promise
    const ended = failureOf(watchSwarm(managers, identity('prod'), () => undefined, signal))
    await now.isOpening.promise
    now.isDemoted = true
    await managers.call({ method: 'GET', path: '/services' }, signal)
    opens.resolve()
    expect((await ended).code).to.equal('swarm-unavailable')
    expect(streams.map(({ destroyed }) => destroyed)).to.deep.equal([true])
  })

  for (const environment of ['prod', 'pre_prod', 'a__b', 'prod-2_eu'])
    it(`D2 are heard of every service that ${environment} may have, and of no other environment`, async () => {
      const names = [
        swarmName(environment, 'shop', 'web') ?? '',
        swarmName(environment, 'web', 'web') ?? '',
        swarmName(environment, 'my_shop', 'web_1') ?? '',
      ]
      const others = [`x${environment}`, `${environment}x`, environment.replace('_', '')]
        .filter(other => other !== environment)
        .map(other => swarmName(other, 'shop', 'web') ?? '')
      const lines = [...names, ...others].map(name =>
        JSON.stringify({ Type: 'service', Action: 'update', Actor: { Attributes: { name } }, timeNano: 1 }),
      )
      const client = clientWith(async <T>() => ({ ok: true, body: Readable.from(lines.join('\n')) as T }))
      const heard: string[] = []
      const hear = ({ container }: { readonly container: string }) => void heard.push(container)
      await failureOf(watchSwarm(client, identity(environment), hear, signal))
      expect(heard).to.deep.equal(names)
    })
})
