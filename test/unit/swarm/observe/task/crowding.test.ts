import { expect } from 'chai'
import type { EngineRequest } from '../../../../../lib/docker/api/connection/dial.ts'
import type { Failure } from '../../../../../lib/errors.ts'
import type { ServiceSpec, Task, ToldService } from '../../../../../lib/swarm/api/service.ts'
import { crowdingOf } from '../../../../../lib/swarm/observe/task/crowding.ts'
import { awaitService } from '../../../../../lib/swarm/steps/await-service.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { inPassingTime } from '../../../../support/time/passing-time.ts'
import { clientWith } from '../../../docker/answering.ts'
import { labelsOf, managerOf } from '../../manager.ts'

const owner = identity('prod')

function spec(tag: '1' | '2', port = 80, Replicas = 4): ServiceSpec {
  return {
    Name: 'prod_web',
    Labels: labelsOf(owner, 'web', `v1:${tag}`),
    TaskTemplate: { ContainerSpec: { Image: `web:${tag}` } },
    Mode: { Replicated: { Replicas } },
    EndpointSpec: { Ports: [{ PublishedPort: port, PublishMode: 'host' }] },
  }
}

function task(tag: '1' | '2', node: string, State: string, Err = '', DesiredState = 'running'): Task {
  return {
    ...{ ID: `${tag}${node}`, ServiceID: 's', NodeID: node, DesiredState },
    Spec: { ContainerSpec: { Image: `web:${tag}` } },
    Status: { Timestamp: '2026-01-01T00:00:00Z', State, Err },
  }
}

const service: ToldService = { ID: 's', Version: { Index: 1 }, Spec: spec('2'), PreviousSpec: spec('1') }
const full = 'no suitable node (host-mode port already in use on 3 nodes)'
const third = task('1', 'n3', 'running')
const crowd = [task('2', 'n1', 'running'), task('2', 'n2', 'starting'), task('2', '', 'pending', full), third]

describe('tasks of a Swarm that leave no node for another one', () => {
  const saying = (Err: string) =>
    crowdingOf(service, [...crowd.filter(one => one.NodeID), task('2', '', 'pending', Err)])

  it('G13 have the ports of all nodes there are, before or after they are replaced', () => {
    expect(crowdingOf(service, crowd)).to.equal(full)
    const asked =
      'no suitable node (scheduling constraints not satisfied on 2 nodes; host-mode port already in use on 3 nodes)'
    expect(saying(asked), 'and the others are not what is asked for').to.equal(asked)
  })

  const others: Readonly<Record<string, string | undefined>> = {
    'a port of another service is taken, too': saying(
      'no suitable node (host-mode port already in use on 4 nodes)',
    ),
    'a node takes no tasks just now': saying(
      'no suitable node (host-mode port already in use on 3 nodes; 1 node not available for new tasks)',
    ),
    'a node has no room just now': saying(
      'no suitable node (host-mode port already in use on 3 nodes; insufficient resources on 1 node)',
    ),
    'the Swarm has said nothing': saying(''),
    'no more are wanted than there are nodes': crowdingOf({ ...service, Spec: spec('2', 80, 3) }, crowd),
    'one of them is being stopped': crowdingOf(service, [
      ...crowd.filter(one => one !== third),
      task('1', 'n3', 'running', '', 'shutdown'),
    ]),
    'what is to be replaced publishes another port': crowdingOf(
      { ...service, PreviousSpec: spec('1', 81) },
      crowd,
    ),
    'the one that waits is of the release before': crowdingOf(service, [
      ...crowd.filter(one => one.NodeID),
      task('1', '', 'pending', full),
    ]),
    'one is to run on each node': crowdingOf(
      { ...service, Spec: { ...spec('2'), Mode: { Global: {} } } },
      crowd,
    ),
  }
  for (const [what, said] of Object.entries(others))
    it(`G5 G13 may find one yet where ${what}`, () => expect(said).to.equal(undefined))
})

describe('the wait for a service of a Swarm that leaves itself no node', () => {
  /** How the wait ends, and when, while the manager tells of this. */
  const ended = (tasks: (passedMs: number) => readonly Task[]) => {
    let nowMs = () => 0
    const client = clientWith(async <T>({ path }: EngineRequest) => {
      const told = { ...service, UpdateStatus: { State: nowMs() < 20_000 ? 'updating' : 'completed' } }
      return { ok: true, body: (path === '/tasks' ? tasks(nowMs()) : [told]) as T } as const
    })
    const step = {
      do: 'await-service',
      ...{ service: 'prod_web', fingerprint: 'v1:2', parallelism: 1, healthyMs: 0, timeoutMs: 60_000 },
    } as const
    const by = { ...owner, commit: 'c0ffee' }
    const { signal } = new AbortController()
    return inPassingTime(clock => {
      nowMs = clock
      return awaitService(managerOf(client), step, by, signal, () => undefined).then(
        () => 'done',
        ({ code, message }: Failure) => `${code}: ${message}`,
      )
    })
  }

  it('G13 ends in the words of the Swarm as soon as that is certain, and not with its time', async () => {
    const { end, passedMs } = await ended(() => crowd)
    expect(end).to.equal(`task-unplaced: local: prod_web: 1 of 4 tasks run: ${full}`)
    expect(passedMs).to.be.within(2_000, 4_000)
  })

  it('G5 goes on if the Swarm finds a node after all', async () => {
    const all = ['n1', 'n2', 'n3', 'n4'].map(node => task('2', node, 'running'))
    const { end, passedMs } = await ended(ms => (ms < 1_000 ? crowd : all))
    expect(end).to.equal('done')
    expect(passedMs).to.be.within(20_000, 22_000)
  })
})
