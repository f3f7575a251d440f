import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import type { Task, ToldService } from '../../../../lib/swarm/api/service.ts'
import { jointLooks } from '../../../../lib/swarm/observe/joint-looks.ts'
import { identity } from '../../../support/builders/builders.ts'
import { clientWith } from '../../docker/answering.ts'
import { labelsOf } from '../manager.ts'

/** Whose services these are, unless told otherwise. */
export const owner = identity('prod')

/** A service of this name, `prod_web`. */
export const service = (name: string, of = owner): ToldService => ({
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
export function manager(services: readonly ToldService[], gone: readonly string[] = []) {
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
