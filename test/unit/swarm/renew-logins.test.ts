import { expect } from 'chai'
import type { Client } from '../../../lib/docker/api/client.ts'
import type { EngineAnswer, EngineRequest } from '../../../lib/docker/api/connection/dial.ts'
import { label } from '../../../lib/state/labels.ts'
import type { ServiceSpec, Task, ToldService } from '../../../lib/swarm/api/service.ts'
import { toLiveService } from '../../../lib/swarm/observe/live-service.ts'
import { serviceMarkOf } from '../../../lib/swarm/observe/mark.ts'
import { nothingKnown } from '../../../lib/swarm/observe/observe.ts'
import { renewLogins } from '../../../lib/swarm/renew-logins.ts'
import { loginMarkOf } from '../../../lib/swarm/service/login.ts'
import { identity } from '../../support/builders/builders.ts'

const { signal } = new AbortController()
const key = Buffer.alloc(32, 1)
const owner = identity('prod')
const markOf = (password: string) =>
  loginMarkOf({ host: 'registry.example.com', username: 'ada', password }, key)

const spec = (login?: string): ServiceSpec => ({
  Name: 'prod_web',
  Labels: {
    ...{ [label.environment]: owner.environment, [label.source]: owner.source },
    ...{ [label.application]: 'web', [label.service]: 'web', [label.container]: 'web' },
    ...{ [label.fingerprint]: 'v1:f', [label.image]: 'registry.example.com/web:1' },
    ...(login === undefined ? {} : { [label.login]: login }),
  },
  TaskTemplate: { ContainerSpec: { Image: 'registry.example.com/web@sha256:1' } },
  Mode: { Replicated: { Replicas: 2 } },
})

/** A Swarm with one service whose nodes have this login, while that of the configuration has the password `new`. */
function swarm(
  given: string | undefined,
  more: Partial<ToldService> = {},
  refusal?: EngineAnswer<never>,
  meanwhile = given,
  tasks: readonly Task[] = [],
) {
  const told: ToldService = { ID: 's', Version: { Index: 7 }, Spec: spec(given), ...more }
  const changes: EngineRequest[] = []
  const asked: string[] = []
  const client = {
    ...{ site: 'cluster', login: async () => ({ username: 'ada', password: 'new' }) },
    async call(request: EngineRequest): Promise<EngineAnswer<unknown>> {
      asked.push(request.path)
      if (request.path === '/configs' || request.path === '/secrets')
        return { ok: true, body: files(request) }
      if (request.path === '/tasks') return { ok: true, body: tasks }
      if (request.path === '/services') return { ok: true, body: [{ ...told, PreviousSpec: told.Spec }] }
      if (request.method === 'GET') return { ok: true, body: { ...told, Spec: spec(meanwhile) } }
      changes.push(request)
      return refusal ?? { ok: true, body: {} }
    },
  } as unknown as Client
  const known = nothingKnown(async () => key)
  const live = toLiveService(told, [], { mark: {}, names: new Map() })
  const renew = () => renewLogins({ client, known }, live === undefined ? [] : [live], owner, signal)
  return { renew, changes, asked }
}

/** One file of a specification before, if such files are asked for. */
function files({ path }: EngineRequest): readonly object[] {
  const Labels = { ...spec().Labels, [label.service]: 'web' }
  return path === '/configs' ? [{ ID: 'old', Spec: { Name: 'prod-old', Labels } }] : []
}

describe('the login for a registry that the nodes of a Swarm keep', () => {
  it('G21 is given anew once it is another one, with nothing else, so that no task is replaced', async () => {
    const { renew, changes } = swarm(markOf('old'))
    expect(await renew()).to.deep.equal(['prod_web'])
    expect(changes.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /services/s/update',
      // The specification before names it no more.
      'DELETE /configs/old',
    ])
    expect(changes[0]).to.deep.include({
      ...{ path: '/services/s/update', query: { version: 7 }, body: spec(markOf('new')) },
      login: { username: 'ada', password: 'new', host: 'registry.example.com' },
    })
  })

  it('G21 is given where none was known', async () => {
    expect(await swarm(undefined).renew()).to.deep.equal(['prod_web'])
  })

  it('G2 G3 is left alone while it is the one of now, without a question', async () => {
    const { renew, asked } = swarm(markOf('new'))
    expect(await renew()).to.deep.equal([])
    expect(asked).to.deep.equal([])
    const there = swarm(markOf('old'), {}, undefined, markOf('new'))
    expect(await there.renew(), 'it was given since the look').to.deep.equal([])
    expect(there.changes).to.deep.equal([])
  })

  it('D18 waits while the Swarm updates the service, or has paused that', async () => {
    for (const State of ['updating', 'paused'] as const) {
      const { renew, changes } = swarm(markOf('old'), { UpdateStatus: { State } })
      expect(await renew(), State).to.deep.equal([])
      expect(changes).to.deep.equal([])
    }
  })

  it('G21 G17 is given also where an update waits for nothing but a task on a node that is lost', async () => {
    const task = (NodeID: string, DesiredState: string, State: string): Task => ({
      ...{ ID: `${NodeID} ${State}`, ServiceID: 's', NodeID, DesiredState, Spec: spec().TaskTemplate },
      Status: { Timestamp: '2026-01-01T00:00:00Z', State },
    })
    const [here, there] = [task('n1', 'running', 'running'), task('n2', 'running', 'running')]
    const lost = task('n3', 'shutdown', 'preparing')
    const updating = { UpdateStatus: { State: 'updating' } }
    const renewed = (...tasks: readonly Task[]) =>
      swarm(markOf('old'), updating, undefined, undefined, tasks).renew()
    expect(await renewed(here, there, lost)).to.deep.equal(['prod_web'])
    expect(await renewed(here, lost), 'the Swarm still makes the other one').to.deep.equal([])
    expect(await renewed(here, there), 'the Swarm still watches them').to.deep.equal([])
  })

  it('D18 is left to the next pass where somebody changes the service at the same time', async () => {
    const message = 'rpc error: code = Unknown desc = update out of sequence'
    const { renew } = swarm(markOf('old'), {}, { ok: false, status: 500, message })
    expect(await renew()).to.deep.equal([])
  })

  it('D2 is no change by hand, and shows nothing of the password', () => {
    expect(serviceMarkOf(spec(markOf('new')), key)).to.deep.equal(serviceMarkOf(spec(), key))
    expect(markOf('new')).to.match(/^[0-9a-f]{16}$/)
    expect(
      loginMarkOf({ host: 'registry.example.com', username: 'ada', password: 'new' }, Buffer.alloc(32, 2)),
    ).not.to.equal(markOf('new'))
  })
})
