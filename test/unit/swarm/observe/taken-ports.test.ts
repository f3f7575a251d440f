import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { label } from '../../../../lib/state/labels.ts'
import type { ServiceSpec, ToldPort, ToldService } from '../../../../lib/swarm/api/service.ts'
import { portsOnSwarm } from '../../../../lib/swarm/observe/taken-ports.ts'
import { identity } from '../../../support/builders/builders.ts'
import { clientWith } from '../../docker/answering.ts'
import { labelsOf } from '../manager.ts'

const owner = identity('prod')
const { signal } = new AbortController()
const web: ToldPort = { PublishedPort: 8080, Protocol: 'tcp', PublishMode: 'host' }

function service(
  Name: string,
  Ports: readonly ToldPort[],
  more: Partial<ServiceSpec> = {},
  running = 3,
): ToldService {
  return {
    ...{ ID: Name, Version: { Index: 1 } },
    ServiceStatus: { RunningTasks: running, DesiredTasks: 3 },
    Spec: { Name, Labels: null, TaskTemplate: {}, Mode: { Global: {} }, EndpointSpec: { Ports }, ...more },
  }
}

async function takenBy(...services: readonly ToldService[]): Promise<readonly string[]> {
  const client = clientWith(async <T>({ path, query }: EngineRequest) => {
    expect(path === '/services' ? query : { status: true }).to.deep.equal({ status: true })
    return { ok: true, body: (path === '/services' ? services : []) as T }
  })
  const ports = await portsOnSwarm(client, owner, signal)
  return ports.map(
    ({ port, holder, isOnAll }) =>
      `${port.port}/${port.protocol} of ${holder}${isOnAll ? ', on all nodes' : ''}`,
  )
}

describe('the ports of a Swarm that others have', () => {
  it('G13 are those that their services publish, on all nodes or on some', async () => {
    const labels = {
      ...labelsOf(identity('devel')),
      ...{ [label.source]: 'ops/devel', [label.directory]: 'environments/devel' },
    }
    expect(
      await takenBy(
        service('devel_web', [web], { Labels: labels }),
        service('replicated', [web], { Mode: { Replicated: { Replicas: 2 } } }),
        service('chosen', [web], { TaskTemplate: { Placement: { Constraints: ['node.labels.disk==ssd'] } } }),
        service('mesh', [{ PublishedPort: 53, Protocol: 'udp', PublishMode: 'ingress' }], {
          Mode: { Replicated: { Replicas: 1 } },
        }),
        service('any-port', [{ Protocol: 'tcp', PublishMode: 'host' }]),
      ),
    ).to.deep.equal([
      '8080/tcp of the service devel_web in environments/devel of ops/devel, on all nodes',
      '8080/tcp of the service replicated',
      '8080/tcp of the service chosen',
      '53/udp of the service mesh, on all nodes',
    ])
  })

  it('G13 are none of ours, and none of a service of which no task runs: it may wait for what we have', async () => {
    const own = service('prod_web', [web], { Labels: labelsOf(owner) })
    expect(await takenBy(own, service('waits', [web], {}, 0))).to.deep.equal([])
  })
})
