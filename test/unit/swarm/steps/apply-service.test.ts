import { expect } from 'chai'
import type { Client } from '../../../../lib/docker/api/client.ts'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { label } from '../../../../lib/state/labels.ts'
import type { ToldService } from '../../../../lib/swarm/api/service.ts'
import { observeSwarm } from '../../../../lib/swarm/observe/observe.ts'
import { findService } from '../../../../lib/swarm/service/find.ts'
import { removeService, restoreService, stopService } from '../../../../lib/swarm/steps/apply-service.ts'
import { identity } from '../../../support/builders/builders.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { clientWith } from '../../docker/answering.ts'
import { labelsOf, managerOf } from '../manager.ts'

const { signal } = new AbortController()
const owner = identity('prod')
const provenance = { ...owner, commit: 'c0ffee' }

function told(more: Partial<ToldService['Spec']> = {}, id = 's', version = 7): ToldService {
  return {
    ...{ ID: id, Version: { Index: version } },
    Spec: {
      ...{ Name: 'prod_web', Labels: labelsOf(owner) },
      ...{ TaskTemplate: { ContainerSpec: { Image: 'web:1' } }, Mode: { Replicated: { Replicas: 2 } } },
      ...more,
    },
  }
}

/** A manager that tells of these, one after the other, and refuses so many changes because somebody was faster. */
function manager(services: readonly [ToldService, ...ToldService[]], refusals = 0) {
  const changes: EngineRequest[] = []
  let [looked, refused] = [0, 0]
  const client: Client = clientWith(async <T>(request: EngineRequest) => {
    const ok = (body: unknown) => ({ ok: true, body: body as T }) as const
    if (request.path === '/tasks') return ok([])
    if (request.method === 'GET') return ok(services[Math.min(looked++, services.length - 1)])
    changes.push(request)
    if (refused++ >= refusals) return ok({})
    return { ok: false, status: 500, message: 'rpc error: code = Unknown desc = update out of sequence' }
  })
  return { client, changes }
}

describe('a service of a Swarm that somebody changes at the same time', () => {
  it('D18 is not overwritten: the change fails, and the next pass looks at it anew', async () => {
    const { client, changes } = manager([{ ...told(), PreviousSpec: told({}, 's').Spec }], 1)
    const restored = restoreService(managerOf(client), { service: 'prod_web' }, provenance, signal)
    expect((await failureOf(restored)).code).to.equal('service-changed')
    expect(changes.map(({ query }) => query)).to.deep.equal([{ version: 7 }])
  })

  it('D18 is stopped with the version that it has by then, and left alone if it is another one', async () => {
    const stop = (services: Parameters<typeof manager>[0]) => {
      const { client, changes } = manager(services, 1)
      const stopped = stopService(
        managerOf(client),
        { service: 'prod_web', fingerprint: 'v1:f' },
        provenance,
        signal,
      )
      return stopped.then(() => changes.map(({ query }) => query?.['version']))
    }
    expect(await stop([told(), told({}, 's', 9)])).to.deep.equal([7, 9])
    expect(await stop([told(), told({ Labels: labelsOf(owner, 'web', 'v1:other') }, 's', 9)])).to.deep.equal([
      7,
    ])
  })
})

describe('services of a Swarm that are not ours', () => {
  const find = (service: ToldService) => findService(manager([service]).client, 'prod_web', owner, signal)

  it('G10 G13 are not removed, and the step that would is left out', async () => {
    const { client, changes } = manager([told({ Labels: {} })])
    const removed = await removeService(managerOf(client), 'prod_web', provenance, signal)
    expect(removed).to.deep.equal({ skipped: "left out: nothing of this environment's own has this name" })
    expect(changes).to.deep.equal([])
  })

  it('G10 are not taken for ours where they have the name of one: of another environment, or of nobody', async () => {
    for (const Labels of [labelsOf(identity('prod_web')), {}, null])
      expect((await failureOf(find(told({ Labels })))).code).to.equal('name-taken')
    expect((await find(told()))?.ID).to.equal('s')
  })

  it("G10 G13 are named as somebody else's, and whose they are, as far as labels say it", async () => {
    const Labels = {
      ...labelsOf(owner),
      [label.source]: 'team/other',
      [label.directory]: 'environments/prod',
    }
    const taken = 'local: service prod_web: something else already has this name'
    expect((await failureOf(find(told({ Labels })))).message).to.equal(
      `${taken}: it is that of environments/prod of team/other`,
    )
    expect((await failureOf(find(told({ Labels: {} })))).message).to.equal(
      `${taken}: it is not one that tallyman made`,
    )
  })

  it('G10 are not taken for ours where labels of the environment are all that they have of ours', async () => {
    const { [label.environment]: _, [label.source]: __, ...others } = labelsOf(owner)
    for (const left of Object.keys(others)) {
      const Labels = Object.fromEntries(Object.entries(labelsOf(owner)).filter(([key]) => key !== left))
      const failure = await failureOf(find(told({ Labels })))
      expect(failure.message).to.equal(
        'local: service prod_web: something else already has this name: it is one with labels of this environment, which do not say that it is this service',
      )
    }
  })

  it('G10 are not seen either: neither with few labels, nor with those of one of another name', async () => {
    const seen = async (Name: string, Labels: Record<string, string>) => {
      const client = clientWith(async <T>({ path }: EngineRequest) => ({
        ok: true,
        body: (path === '/services' ? [told({ Name, Labels })] : []) as T,
      }))
      const { containers } = await observeSwarm(client, managerOf(client).known, owner, signal)
      return containers.map(({ engineName }) => engineName)
    }
    const { [label.container]: _, ...few } = labelsOf(owner)
    const hook = { ...labelsOf(owner), [label.role]: 'hook' }
    expect(await seen('prod_web', labelsOf(owner))).to.deep.equal(['prod_web'])
    expect(await seen('prod_web_pre_01234567', hook)).to.deep.equal(['prod_web_pre_01234567'])
    expect(await seen('prod_web', few)).to.deep.equal([])
    expect(await seen('copy', labelsOf(owner))).to.deep.equal([])
    expect(await seen('prod_web', labelsOf(owner, 'api'))).to.deep.equal([])
    expect(await seen('prod_web', hook)).to.deep.equal([])
    expect(await seen('prod_web_pre_01234567', labelsOf(owner))).to.deep.equal([])
    expect(await seen('prod_api_pre_01234567', hook)).to.deep.equal([])
  })

  it('G10 are not found by the beginning of an id that is a name of ours', async () => {
    expect(await find(told({ Name: 'theirs' }, 'prod_webabc'))).to.equal(undefined)
  })
})
