import { expect } from 'chai'
import type { EngineRequest } from '../../../lib/docker/api/connection/dial.ts'
import { Failure } from '../../../lib/errors.ts'
import type { Task, ToldService } from '../../../lib/swarm/api/service.ts'
import { jointLooks } from '../../../lib/swarm/observe/joint-looks.ts'
import { identity } from '../../support/builders.ts'
import { failureOf } from '../../support/failure-of.ts'
import { clientWith } from '../docker/answering.ts'
import { labelsOf } from './manager.ts'

const owner = identity('prod')
const { signal } = new AbortController()

const service = (name: string, of = owner): ToldService => ({
  ...{ ID: `id of ${name}`, Version: { Index: 1 } },
  Spec: {
    ...{ Name: name, Labels: labelsOf(of, name.slice(5)) },
    TaskTemplate: { ContainerSpec: { Image: 'web:1' } },
  },
})

const task = ({ ID, Spec }: ToldService): Task => ({
  ...{ ID: `task of ${Spec.Name}`, ServiceID: ID, Spec: Spec.TaskTemplate, DesiredState: 'running' },
  Status: { Timestamp: '2026-01-01T00:00:00Z', State: 'running' },
})

/** A manager of these services. It refuses to tell of tasks if one of the services that are asked for is not there any more. */
function manager(services: readonly ToldService[], gone: readonly string[] = []) {
  const asked: EngineRequest[] = []
  const client = clientWith(async <T>(request: EngineRequest) => {
    asked.push(request)
    const filters = request.query?.['filters'] as Partial<Record<string, readonly string[]>> | undefined
    const { name = [], service: of = [] } = filters ?? {}
    if (request.path === '/services') {
      const told = services.filter(({ Spec }) => name.some(one => Spec.Name.startsWith(one)))
      return { ok: true, body: told as T }
    }
    if (of.some(id => gone.includes(id))) return { ok: false, status: 404, message: 'service not found' }
    return { ok: true, body: services.filter(({ ID }) => of.includes(ID)).map(task) as T }
  })
  return { looks: jointLooks(client)(owner), asked }
}

describe('what many steps ask a manager of a Swarm for', () => {
  it('G24 is two calls for fifty of them, and for a thousand forty', async () => {
    for (const [steps, calls] of [
      [50, 2],
      [1_000, 40],
    ] as const) {
      const names = Array.from({ length: steps }, (_, at) => `prod_${String(at).padStart(3, '0')}`)
      const { looks, asked } = manager(names.map(name => service(name)))
      const found = await Promise.all(names.map(name => looks.service(name, signal)))
      expect(found.map(looked => looked?.tasks.map(({ ID }) => ID))).to.deep.equal(
        names.map(name => [`task of ${name}`]),
      )
      expect(asked).to.have.lengthOf(calls)
    }
  })

  it("G10 is not that of a service whose name begins so, and fails for another's, and for that alone", async () => {
    const { looks } = manager([
      service('prod_web2'),
      service('prod_api', identity('other')),
      service('prod_db'),
    ])
    const [web, api, db] = [
      looks.service('prod_web', signal),
      looks.service('prod_api', signal),
      looks.service('prod_db', signal),
    ]
    expect(await web).to.equal(undefined)
    expect((await failureOf(api)).code).to.equal('name-taken')
    expect((await db)?.there.ID).to.equal('id of prod_db')
  })

  it('D18 are the tasks of the others, too, where one was removed between the two calls', async () => {
    const [web, api] = [service('prod_web'), service('prod_api')]
    const { looks } = manager([web, api], [api.ID])
    const found = await Promise.all([looks.service('prod_web', signal), looks.service('prod_api', signal)])
    expect(found.map(looked => looked?.tasks.length)).to.deep.equal([1, 0])
  })

  it('H22 is waited for no longer by a step that is stopped, and still by the others', async () => {
    const { looks } = manager([service('prod_web'), service('prod_api')])
    const stopping = new AbortController()
    const [stopped, other] = [looks.service('prod_web', stopping.signal), looks.service('prod_api', signal)]
    stopping.abort()
    expect((await failureOf(stopped)).code).to.equal('interrupted')
    expect((await other)?.tasks).to.have.lengthOf(1)
  })

  it('D17 is no removal: that asks the manager of the pass that removes, which may no longer do so', async () => {
    const { looks, asked } = manager([])
    const lost = clientWith(async () => {
      throw new Failure('interrupted', 'another process writes now')
    })
    const { code } = await failureOf(looks.forgetFiles(lost, signal))
    expect([code, asked]).to.deep.equal(['interrupted', []])
  })
})
