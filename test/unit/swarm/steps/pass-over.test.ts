import { expect } from 'chai'
import type { EngineAnswer, EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import type { Failure } from '../../../../lib/errors.ts'
import { label } from '../../../../lib/state/labels.ts'
import type { ServiceSpec, Task, ToldService } from '../../../../lib/swarm/api/service.ts'
import { awaitService } from '../../../../lib/swarm/steps/await-service.ts'
import { identity } from '../../../support/builders/builders.ts'
import { inPassingTime } from '../../../support/time/passing-time.ts'
import { clientWith } from '../../docker/answering.ts'
import { labelsOf, managerOf } from '../manager.ts'

const owner = identity('prod')
const { signal } = new AbortController()

function spec(tag: '1' | '2'): ServiceSpec {
  return {
    Name: 'prod_agent',
    Labels: labelsOf(owner, 'agent', `v1:${tag}`),
    TaskTemplate: { ContainerSpec: { Image: `agent:${tag}` } },
    Mode: { Global: {} },
  }
}

/** A task of a node. */
function task(tag: '1' | '2', node: string, State: string, DesiredState = 'running'): Task {
  return {
    ...{ ID: `${tag}${node}`, ServiceID: 's', NodeID: node, DesiredState },
    Spec: { ContainerSpec: { Image: `agent:${tag}` } },
    Status: { Timestamp: '2026-01-01T00:00:00Z', State },
  }
}

const lost = [task('1', 'n3', 'running', 'shutdown'), task('2', 'n3', 'assigned', 'shutdown')]
const old = [task('1', 'n1', 'running'), task('1', 'n2', 'running')]
const young = [task('2', 'n1', 'running'), task('2', 'n2', 'running')]

/**
 * What comes of the wait for version 2 while the manager tells of this, and what it was told.
 * @param more what the step says besides
 * @param written which of the updates that it is told, from 1 on, come just after the Swarm wrote to the service itself
 */
async function waited(
  tasks: (told: readonly string[], passedMs: number) => readonly Task[],
  healthyMs = 2_000,
  state: (passedMs: number) => ToldService['UpdateStatus'] = () => ({ State: 'updating' }),
  written: readonly number[] = [],
  more: { readonly untilEnded?: true } = {},
  nodes: readonly string[] = ['one', 'two', 'three'],
) {
  let asked = 0
  let nowMs = () => 0
  const [noted, told]: [string[], string[]] = [[], []]
  let [service, index]: [ToldService, number] = [
    { ...{ ID: 's', Version: { Index: 1 }, Spec: spec('2'), PreviousSpec: spec('1') } },
    1,
  ]
  const names = nodes.map((Name, at) => ({ ID: `n${at + 1}`, Spec: { Name } }))
  const client = clientWith(async <T>({ path, body }: EngineRequest): Promise<EngineAnswer<T>> => {
    if (path === '/services/s/update') {
      asked += 1
      if (written.includes(asked))
        return { ok: false, status: 500, message: 'rpc error: code = Unknown desc = update out of sequence' }
      const Spec = body as ServiceSpec
      index += 1
      service = { ...service, Version: { Index: index }, Spec, PreviousSpec: service.Spec }
      told.push(Spec.Labels?.[label.fingerprint] ?? '')
    }
    const answers: Readonly<Record<string, unknown>> = {
      ...{ '/services': [{ ...service, UpdateStatus: state(nowMs()) }] },
      ...{ '/services/prod_agent': service, '/nodes': names },
      '/tasks': tasks(told, nowMs()),
    }
    return { ok: true, body: (answers[path] ?? {}) as T }
  })
  const step = {
    do: 'await-service',
    ...{ service: 'prod_agent', fingerprint: 'v1:2', parallelism: 1, healthyMs, timeoutMs: 60_000 },
    ...more,
  } as const
  const by = { ...owner, commit: 'c0ffee' }
  const { end, passedMs } = await inPassingTime(clock => {
    nowMs = clock
    return awaitService(managerOf(client), step, by, signal, words => noted.push(words)).then(
      () => 'done',
      ({ code, message }: Failure) => `${code}: ${message}`,
    )
  })
  return { end, noted, told, passedMs }
}

describe('an update of a Swarm while one of its nodes goes away', () => {
  it('G12 G17 is over once all tasks run on the nodes that are there, and says which node is not', async () => {
    const { end, noted, told, passedMs } = await waited(() => [...lost, ...young])
    expect({ end, told }).to.deep.equal({ end: 'done', told: [] })
    expect(noted).to.deep.equal([
      '1 task of before has yet to end',
      'the Swarm waits for a task that cannot run, on node three',
    ])
    expect(passedMs).to.be.within(2_000, 13_000)
  })

  it('G12 G17 is over only once what was replaced there cannot answer any more, if something comes after it', async () => {
    const { end, passedMs } = await waited(() => [...lost, ...young], 2_000, undefined, [], {
      untilEnded: true,
    })
    expect(end).to.equal('done')
    expect(passedMs).to.be.within(15_000, 20_000)
  })

  for (const [what, endsMs, more, [from, to], nodes] of [
    [
      'five seconds after all tasks run, though what was replaced has an hour to end',
      1e9,
      {},
      [5_000, 7_000],
    ],
    ['one second after all tasks run on the only node there is', 1e9, {}, [1_000, 3_000], ['one']],
    ['as soon as what was replaced has ended', 3_000, {}, [3_000, 4_500]],
    [
      'only once what was replaced has ended on the only node there is, if something comes after it',
      30_000,
      { untilEnded: true },
      [30_000, 32_000],
      ['one'],
    ],
    [
      'only once what was replaced has ended, if something comes after it',
      30_000,
      { untilEnded: true },
      [30_000, 32_000],
    ],
  ] as const)
    it(`G12 is over ${what}`, async () => {
      const ending = old.map(
        (one): Task => ({
          ...{ ...one, DesiredState: 'shutdown' },
          Spec: { ContainerSpec: { Image: 'agent:1', StopGracePeriod: 3_600e9 } },
        }),
      )
      const tasks = (_: unknown, passedMs: number) => [...young, ...(passedMs < endsMs ? ending : [])]
      const { end, passedMs, noted } = await waited(tasks, 0, () => ({ State: 'completed' }), [], more, nodes)
      expect(end).to.equal('done')
      expect(passedMs).to.be.within(from, to)
      expect(noted, 'what it waits for is said if that takes long').to.deep.equal(
        from > 5_000 ? ['2 tasks of before have yet to end', '2 of 2 tasks run'] : [],
      )
    })

  it('G12 G17 is begun anew if it does not go on without that node, and can still be put back', async () => {
    const { end, told, noted } = await waited(told => [...lost, ...(told.length < 2 ? old : young)])
    expect({ end, told }).to.deep.equal({ end: 'done', told: ['v1:1', 'v1:2'] })
    expect(noted[1]).to.equal('the Swarm begins the update anew without it')
  })

  it('G12 G17 is begun anew also if the Swarm writes how its update goes just then', async () => {
    const tasks = (told: readonly string[]) => [...lost, ...(told.length < 2 ? old : young)]
    const { end, told } = await waited(tasks, undefined, undefined, [1, 3, 4])
    expect({ end, told }).to.deep.equal({ end: 'done', told: ['v1:1', 'v1:2'] })
  })

  it('G12 D18 is left to the next pass if it is overtaken again and again', async () => {
    const { end } = await waited(() => [...lost, ...old], undefined, undefined, [1, 2, 3, 4, 5])
    expect(end).to.match(/^service-changed: .*update out of sequence$/)
  })

  it('G13 fails with the name of the node if that does not help, either', async () => {
    const { end, told } = await waited(() => [...lost, ...old])
    expect(end).to.equal(
      'task-unplaced: local: prod_agent: 0 of 2 tasks run after 120 s: the Swarm waits for a task that cannot run, on node three',
    )
    expect(told, 'it is begun anew once').to.have.lengthOf(2)
  })

  it('G13 never fails for tasks that all run: it says that they do not for long enough', async () => {
    const { end } = await waited((_, passedMs) => (passedMs < 110_000 ? old : young), 20_000)
    expect(end).to.equal(
      'health-timeout: local: prod_agent: all its tasks run after 120 s, but not for 20 s yet',
    )
    expect((await waited(() => young)).end, 'the Swarm never says that its update is over').to.equal('done')
  })

  it('G12 G13 is over without a paused node once the Swarm says so, and tells what goes on there', async () => {
    const paused = [task('2', 'n1', 'running'), task('1', 'n2', 'running')]
    const kept = '1 task of an earlier release goes on, whose node takes no new ones'
    const states = (ms: number) => (ms < 6_000 ? undefined : { State: ms < 9_000 ? 'updating' : 'completed' })
    const { end, noted, passedMs } = await waited(() => paused, 2_000, states)
    expect({ end, noted }).to.deep.equal({ end: 'done', noted: [kept] })
    expect(passedMs, 'nothing is known before the Swarm has begun').to.be.within(11_000, 12_000)
  })

  it('G13 fails with that as the reason if all nodes are paused, so that the Swarm begins no update', async () => {
    const { end } = await waited(
      () => old,
      2_000,
      () => undefined,
    )
    expect(end).to.equal(
      'task-unplaced: local: prod_agent: 0 of 2 tasks run after 120 s: 2 tasks of an earlier release go on, whose nodes take no new ones',
    )
  })
})
