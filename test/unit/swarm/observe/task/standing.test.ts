import { expect } from 'chai'
import type { Task, ToldService } from '../../../../../lib/swarm/api/service.ts'
import { failureText } from '../../../../../lib/swarm/observe/task/failure-text.ts'
import { keptText, standingOf } from '../../../../../lib/swarm/observe/task/standing.ts'
import { verdictOn } from '../../../../../lib/swarm/service/verdict.ts'

const now = { Image: 'web:2' }
const told: ToldService = {
  ID: 's',
  Version: { Index: 1 },
  Spec: {
    Name: 'prod_web',
    Labels: {},
    TaskTemplate: { ContainerSpec: now },
    Mode: { Replicated: { Replicas: 2 } },
  },
}

function task(State: string, more: Partial<Task> = {}): Task {
  return {
    ID: 't',
    ServiceID: 's',
    Spec: { ContainerSpec: now },
    DesiredState: 'running',
    Status: { Timestamp: '2026-01-01T00:00:00Z', State },
    ...more,
  }
}

describe('where a service of a Swarm stands', () => {
  it('counts tasks that run as it is specified now, and should', () => {
    const tasks = [
      task('running'),
      task('running', { Spec: { ContainerSpec: { Image: 'web:1' } } }),
      task('running', { DesiredState: 'shutdown' }),
      task('running', { ServiceID: 'other' }),
      task('starting'),
    ]
    expect(standingOf(told, tasks)).to.deep.include({ wanted: 2, running: 1, failed: [] })
  })

  it('G12 says how long tasks that are being stopped may go on: their grace period, and a while', () => {
    const spec = { ContainerSpec: { Image: 'web:1', StopGracePeriod: 30_000_000_000 } }
    const tasks = [
      task('running', { DesiredState: 'shutdown' }),
      task('shutdown', { DesiredState: 'shutdown', Spec: spec }),
      task('running'),
    ]
    expect(standingOf(told, tasks).endsWithinMs).to.equal(15_000)
    const longer = task('running', { DesiredState: 'shutdown', Spec: spec })
    expect(standingOf(told, [...tasks, longer]).endsWithinMs).to.equal(35_000)
    expect(standingOf(told, [task('running')]).endsWithinMs).to.equal(0)
  })

  it('G12 counts no task that is complete, so that a wait ends with those that run', () => {
    const complete = task('complete', { DesiredState: 'shutdown' })
    const standing = standingOf(told, [complete, complete, complete, task('running'), task('running')])
    expect(standing).to.deep.include({ wanted: 2, running: 2 })
    expect(verdictOn({ State: 'completed' }, standing, { forMs: 1, healthyMs: 1 })).to.equal('passed')
  })

  it('G12 ends a wait for tasks that all become complete, instead of waiting for ever', () => {
    const ends = Array.from({ length: 6 }, () => task('complete', { DesiredState: 'shutdown' }))
    expect(verdictOn(undefined, standingOf(told, ends), { forMs: 0, healthyMs: 1 })).to.equal('failing')
  })

  it('G12 counts nothing on a node that is down, whatever was told of its tasks last', () => {
    const lost = task('running', { DesiredState: 'shutdown', NodeID: 'n1' })
    const standing = standingOf(told, [lost, lost, task('running', { NodeID: 'n2' })])
    expect(standing).to.deep.include({ wanted: 2, running: 1, nodes: ['n2'] })
    expect(verdictOn(undefined, standing, { forMs: 9, healthyMs: 1 })).to.equal('waiting')
    const every: ToldService = { ...told, Spec: { ...told.Spec, Mode: { Global: {} } } }
    expect(standingOf(every, [lost, task('running')]), 'one on each node that is up').to.deep.include({
      ...{ wanted: 1, running: 1 },
    })
  })

  it('G12 G13 wants one task on each node that has one, whatever its specification, where one is to run on each', () => {
    const every: ToldService = {
      ...{ ...told, UpdateStatus: { State: 'updating' } },
      Spec: { ...told.Spec, Mode: { Global: {} } },
    }
    const old = { Spec: { ContainerSpec: { Image: 'web:1' } } }
    const tasks = [
      task('running', { NodeID: 'n1' }),
      task('running', { ...old, NodeID: 'n1' }),
      task('running', { ...old, NodeID: 'n2' }),
      task('failed', { DesiredState: 'shutdown', NodeID: 'n3' }),
      task('ready', { DesiredState: 'ready', NodeID: 'n3' }),
      task('running', { ServiceID: 'other', NodeID: 'n4' }),
    ]
    expect(standingOf(every, tasks)).to.deep.include({ wanted: 3, running: 1 })
  })

  it('G13 tells what is asked of nodes where none has it, and the Swarm makes no task that could say why', () => {
    const placed = (Placement?: ToldService['Spec']['TaskTemplate']['Placement']): ToldService => {
      const TaskTemplate = { ...told.Spec.TaskTemplate, ...(Placement === undefined ? {} : { Placement }) }
      return { ...told, Spec: { ...told.Spec, Mode: { Global: {} }, TaskTemplate } }
    }
    const asked = {
      Constraints: ['node.labels.disk==tape'],
      Platforms: [{ OS: 'linux', Architecture: 'arm64' }],
    }
    expect(standingOf(placed(asked), []).unplaced).to.equal(
      'no node has what it asks for: node.labels.disk==tape, linux/arm64',
    )
    expect(standingOf(placed(), []).unplaced, 'all are drained').to.equal('no node takes a task of it')
    expect(standingOf(placed(asked), [task('starting')]).unplaced).to.equal(undefined)
    expect(standingOf(told, []).unplaced, 'tasks of a number are made, and wait').to.equal(undefined)
  })

  it('G12 knows the tasks that the Swarm gave up before they ran: their nodes do not say that they ended', () => {
    const [pending, assigned] = [
      task('pending', { ID: 'p', DesiredState: 'shutdown', NodeID: 'n3' }),
      task('assigned', { ID: 'a', DesiredState: 'remove', NodeID: 'n3' }),
    ]
    const others = [
      task('starting'),
      task('running', { DesiredState: 'shutdown' }),
      task('shutdown', { DesiredState: 'shutdown' }),
      task('pending', { DesiredState: 'shutdown', Spec: { ContainerSpec: { Image: 'web:1' } } }),
      task('pending', { DesiredState: 'shutdown', ServiceID: 'other' }),
    ]
    expect(standingOf(told, [pending, ...others, assigned]).abandoned).to.deep.equal([pending, assigned])
  })

  it('G12 G17 wants no task on a node that takes none any more, where one is to run on each', () => {
    const every: ToldService = { ...told, Spec: { ...told.Spec, Mode: { Global: {} } } }
    const waits = (Err: string) =>
      task('pending', {
        ...{ NodeID: 'n3', DesiredState: 'ready' },
        Status: { Timestamp: '2026-01-01T00:00:00Z', State: 'pending', Err },
      })
    const runs = [task('running', { NodeID: 'n1' }), task('running', { NodeID: 'n2' })]
    const drained = waits('1 node not available for new tasks')
    const { abandoned, wanted, running } = standingOf(every, [...runs, drained])
    expect({ abandoned, wanted, running }).to.deep.equal({ abandoned: [drained], wanted: 2, running: 2 })
    const full = standingOf(every, [...runs, waits('insufficient resources on 1 node')])
    expect(full, 'one without room is meant').to.deep.include({ abandoned: [], wanted: 3, running: 2 })
    expect(standingOf(told, [runs[0] ?? drained, drained]), 'a number of tasks').to.deep.include({
      ...{ abandoned: [], wanted: 2, running: 1 },
    })
  })

  it('G13 counts as the Swarm does what paused nodes keep of an earlier release, where one is to run on each', () => {
    const every: ToldService = { ...told, Spec: { ...told.Spec, Mode: { Global: {} } } }
    const old = { Spec: { ContainerSpec: { Image: 'web:1' } } }
    const kept = task('running', { ...old, NodeID: 'n2' })
    const tasks = [
      task('running', { NodeID: 'n1' }),
      kept,
      task('running', { ...old, NodeID: 'n1' }),
      task('running', { ...old, NodeID: 'n3', DesiredState: 'shutdown' }),
    ]
    const counted = { wanted: 2, running: 2, nodes: ['n1', 'n2'], kept: [kept] }
    expect(standingOf(every, tasks)).to.deep.include(counted)
    const updated = (State: string) => standingOf({ ...every, UpdateStatus: { State } }, tasks)
    expect(updated('completed')).to.deep.include(counted)
    for (const state of ['updating', 'paused'])
      expect(updated(state), state).to.deep.include({ wanted: 2, running: 1, nodes: ['n1'], kept: [] })
    expect(standingOf(told, tasks), 'a number of tasks').to.deep.include({ wanted: 2, running: 1, kept: [] })
    expect(keptText([kept])).to.equal('1 task of an earlier release goes on, whose node takes no new ones')
    expect(keptText([kept, kept])).to.equal(
      '2 tasks of an earlier release go on, whose nodes take no new ones',
    )
  })

  it('G13 tells in the words of the Swarm why tasks fail or wait', () => {
    const failed = task('failed', {
      DesiredState: 'shutdown',
      Status: { Timestamp: '2026-01-01T00:00:01Z', State: 'failed', Err: 'task: non-zero exit (3)' },
    })
    const waits = task('pending', {
      Status: { Timestamp: '2026-01-01T00:00:00Z', State: 'pending', Err: 'no suitable node' },
    })
    const standing = standingOf(told, [failed, failed, waits])
    expect(failureText(standing.failed)).to.equal('task: non-zero exit (3)')
    expect(standing.pending).to.equal('no suitable node')
  })

  it('G6 G13 counts no failure of before the service was changed last, also if only its number of tasks was', () => {
    const failedAt = (CreatedAt: string) => task('failed', { DesiredState: 'shutdown', CreatedAt })
    const [before, since, later] = [
      failedAt('2026-01-07T12:00:00.123000001Z'),
      failedAt('2026-01-07T12:00:00.123000002Z'),
      failedAt('2026-01-07T12:00:05Z'),
    ]
    const tasks = [before, since, later]
    const scaled: ToldService = { ...told, UpdatedAt: '2026-01-07T12:00:00.123000002Z' }
    expect(standingOf(scaled, tasks).failed).to.have.members([since, later])
    const completed = { State: 'completed', StartedAt: '2026-01-07T12:00:00.123000002Z' }
    const updated: ToldService = { ...told, UpdatedAt: '2026-01-07T12:00:10Z', UpdateStatus: completed }
    expect(standingOf(updated, tasks).failed, 'since its update began').to.have.members([since, later])
    expect(standingOf({ ...told, UpdatedAt: '2026-01-08T00:00:00Z' }, tasks).failed).to.deep.equal([])
  })

  it('G13 says of a task that ended what the Swarm cannot know: that it needed too much memory, or its health check failed', () => {
    const endedWith = (ExitCode: number, Spec: Task['Spec']) =>
      task(ExitCode === 0 ? 'complete' : 'failed', {
        Spec,
        Status: {
          ...{ Timestamp: '2026-01-01T00:00:01Z', State: ExitCode === 0 ? 'complete' : 'failed' },
          ...(ExitCode === 0 ? {} : { Err: `task: non-zero exit (${ExitCode})` }),
          ContainerStatus: { ExitCode },
        },
      })
    const ContainerSpec = { Image: 'web:2' }
    const limited = { ContainerSpec, Resources: { Limits: { MemoryBytes: 64 << 20 } } }
    const checked = { ContainerSpec: { ...ContainerSpec, Healthcheck: { Test: ['CMD', 'true'] } } }
    const unchecked = { ContainerSpec: { ...ContainerSpec, Healthcheck: { Test: ['NONE'] } } }
    const killed = 'task: non-zero exit (137)'
    expect(
      [
        endedWith(137, limited),
        endedWith(137, { ContainerSpec }),
        endedWith(1, limited),
        endedWith(0, checked),
        endedWith(0, unchecked),
        endedWith(1, checked),
      ].map(one => failureText([one])),
    ).to.deep.equal([
      `${killed}, as if it needed more memory than its limit of 64 MiB`,
      killed,
      'task: non-zero exit (1)',
      'ended (exit code 0), by itself or because its health check failed',
      'ended (exit code 0)',
      'task: non-zero exit (1)',
    ])
  })
})

describe('the judgement of an update of a Swarm', () => {
  const [ran, fresh] = [
    { forMs: 5_000, healthyMs: 5_000 },
    { forMs: 4_999, healthyMs: 5_000 },
  ]
  const all = { wanted: 2, running: 2, failed: [], abandoned: [], endsWithinMs: 0 }
  const table: readonly (readonly [string, Parameters<typeof verdictOn>, string])[] = [
    ['all tasks run for long enough, and no update is under way', [undefined, all, ran], 'passed'],
    ['they run, and not for long enough', [undefined, all, fresh], 'waiting'],
    ['they run, and the update is still watched', [{ State: 'updating' }, all, ran], 'waiting'],
    [
      'they run, and it is watched only for a task that the Swarm has given up',
      [{ State: 'updating' }, { ...all, abandoned: [task('pending')] }, ran],
      'passed',
    ],
    [
      'the Swarm has given up a task, and another one is still to be replaced',
      [{ State: 'updating' }, { ...all, running: 1, abandoned: [task('pending')] }, ran],
      'waiting',
    ],
    ['the update is complete', [{ State: 'completed' }, all, ran], 'passed'],
    ['the Swarm gave it up', [{ State: 'paused' }, all, ran], 'stopped'],
    ['the Swarm rolled it back by itself', [{ State: 'rollback_completed' }, all, ran], 'stopped'],
    ['it rolls it back just now', [{ State: 'rollback_started' }, all, ran], 'stopped'],
    ['its rollback is paused', [{ State: 'rollback_paused' }, all, ran], 'stopped'],
    ['one task is missing', [undefined, { ...all, running: 1 }, ran], 'waiting'],
    [
      'tasks end again and again',
      [
        undefined,
        { ...all, wanted: 1, running: 0, failed: [task('failed'), task('failed'), task('failed')] },
        ran,
      ],
      'failing',
    ],
    [
      'all tasks run, and ended again and again before',
      [undefined, { ...all, failed: Array.from({ length: 8 }, () => task('failed')) }, fresh],
      'waiting',
    ],
    ['none is wanted', [undefined, { ...all, wanted: 0, running: 0 }, ran], 'passed'],
    [
      'tasks that were replaced may still answer',
      [undefined, { ...all, endsWithinMs: 5_001 }, ran],
      'waiting',
    ],
    ['they should have ended by now', [undefined, { ...all, endsWithinMs: 5_000 }, ran], 'passed'],
  ]
  for (const [what, given, verdict] of table)
    it(`G12 is "${verdict}" where ${what}`, () => {
      expect(verdictOn(...given)).to.equal(verdict)
    })
})
