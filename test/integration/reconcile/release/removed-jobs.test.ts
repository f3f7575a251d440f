import { expect } from 'chai'
import { stringify } from 'yaml'
import type { StepEvent } from '../../../../lib/state/pass/step-event.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import type { Ran } from '../../../support/command/tallyman.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { staysUp } from '../../../support/simulated/container/programs.ts'
import type { Swarm } from '../../../support/simulated/swarm/swarm.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, createSwarmScene, type Scene } from '../scene.ts'

/** What becomes of a rollout from version 1 to version 2, one of whose jobs somebody removes while it runs. */
type Row = {
  readonly stage: 'pre' | 'mid' | 'post' | 'deploy' | 'test'
  readonly policy?: 'Retry' | 'Abort' | 'Ignore'
  readonly type?: 'RollingUpdate'
  /** How often it runs until somebody says something, who releases nothing. */
  readonly ran: number
  /** What that job came to. */
  readonly ends: 'done' | 'job-failed'
  /** The version that runs in the end. */
  readonly runs: '1' | '2' | 'none'
  /** What a further pass says of it. */
  readonly next: 'quarantined' | 'barred' | 'in sync'
}

const fails = { ran: 1, ends: 'job-failed', next: 'quarantined' } as const
const goesOn = { ran: 1, ends: 'done', runs: '2', next: 'in sync' } as const

const rows: readonly Row[] = [
  { stage: 'pre', policy: 'Retry', ...fails, runs: '1' },
  { stage: 'pre', policy: 'Abort', ...fails, runs: '1' },
  { stage: 'pre', policy: 'Ignore', ...goesOn },
  { stage: 'pre', policy: 'Abort', type: 'RollingUpdate', ...fails, runs: '1' },
  { stage: 'mid', policy: 'Retry', ...fails, runs: 'none' },
  { stage: 'mid', policy: 'Abort', ...fails, runs: 'none' },
  { stage: 'mid', policy: 'Ignore', ...goesOn },
  { stage: 'post', policy: 'Retry', ...goesOn, ends: 'job-failed' },
  { stage: 'post', policy: 'Abort', ...goesOn, ends: 'job-failed' },
  { stage: 'post', policy: 'Ignore', ...goesOn },
  { stage: 'deploy', ...fails, runs: '1', next: 'barred' },
  { stage: 'test', ...fails, runs: '1' },
]

const nameOf = ({ stage, policy, type }: Row) =>
  [stage, policy, type].flatMap(word => word?.toLowerCase() ?? []).join('-')

/** An application whose job in that stage runs until it is stopped. Version 1 has none. */
function application({ prefix }: Scene, row: Row, version: string) {
  const { stage, policy: failurePolicy, type = 'Recreate' } = row
  const isPhase = stage === 'deploy' || stage === 'test'
  const endless = { execNewPod: { containerName: 'app', command: ['sh', '-c'], args: ['sleep 600'] } }
  const hook = { [stage]: { failurePolicy, ...endless } }
  const hooks = { type, [type === 'Recreate' ? 'recreate' : 'rollingUpdate']: hook }
  const shared = { driver_opts: { type: 'nfs', device: ':/static', o: 'addr=10.0.0.9' } }
  const pallet = {
    pallet: {
      ...{ domain: `${nameOf(row)}.example.com`, environment: 'test' },
      phases: { test: stage === 'test' },
    },
    volumes: [{ name: 'static', 'persistent-volume': shared }],
  }
  const more = isPhase ? pallet : { strategy: hooks }
  const containers = [{ name: 'app', image: `${prefix}/app:${version}` }]
  return {
    ...{ name: nameOf(row), version },
    services: [{ name: nameOf(row), replicas: 1, containers, ...(version === '1' ? {} : more) }],
  }
}

/** Whatever it is run as, it goes on until it is stopped. */
const image = {
  behaves: { programs: { run: () => staysUp() } },
  ...{ entrypoint: ['/run'], cmd: ['serve'] },
}

/** A scene on one kind of site. */
type Ground = {
  readonly scene: Scene
  /** Returns the jobs that run, each by the name of its application, and under that which the engine knows. */
  jobs(): Promise<readonly { readonly of: string; readonly key: string }[]>
  /** Does what somebody does with `docker rm --force` or `docker service rm`. */
  remove(key: string): Promise<void>
  /** Returns the version of an application that runs. */
  runs(name: string): Promise<string>
}

/** What the `static` of a Pallet application needs on a Swarm. */
const policy = { remoteVolumes: ['10.0.0.9'] }

const jobRoles: readonly (string | undefined)[] = ['hook', 'deploy', 'test']

async function onHost(): Promise<Ground> {
  const scene = await createScene({ config: { policy } })
  return {
    scene,
    async jobs() {
      const all = await scene.containers()
      return all
        .filter(({ state, labels }) => state === 'running' && jobRoles.includes(labels['tallyman.role']))
        .map(({ id, service }) => ({ of: service, key: id }))
    },
    async remove(key) {
      await engineCall(scene.dockerSocket, 'DELETE', `/containers/${key}?force=1`)
    },
    async runs(name) {
      const one = (await scene.containers()).find(
        ({ service, state, labels }) =>
          service === name && state === 'running' && labels['tallyman.role'] === 'app',
      )
      return one?.labels['tallyman.version'] ?? 'none'
    },
  }
}

async function onSwarm(): Promise<Ground & { readonly swarm: Swarm }> {
  const scene = await createSwarmScene({ policy })
  const { swarm } = scene
  const running = () => {
    const ids = swarm.tasks({ 'desired-state': ['running'] }).map(({ ServiceID }) => ServiceID)
    return swarm.list({}).filter(({ ID }) => ids.includes(ID))
  }
  return {
    ...{ scene, swarm },
    jobs: async () =>
      running()
        .filter(({ Spec }) => jobRoles.includes(Spec.Labels?.['tallyman.role']))
        .map(({ Spec }) => ({ of: Spec.Labels?.['tallyman.service'] ?? '', key: Spec.Name })),
    remove: async key => swarm.remove(key),
    async runs(name) {
      const one = running().find(
        ({ Spec: { Labels = {} } }) =>
          Labels['tallyman.service'] === name && Labels['tallyman.role'] === 'app',
      )
      return one?.Spec.Labels?.['tallyman.version'] ?? 'none'
    },
  }
}

/** Commits these in this version. */
async function release(scene: Scene, which: readonly Row[], version: string): Promise<void> {
  const all = which.map(row => application(scene, row, version))
  const files = all.map(one => [`applications/${one.name}.yaml`, stringify(one)])
  const services = all.map(({ name }) => ({ name }))
  await scene.commit({ services, skipConfirmation: true }, `Version ${version}`, Object.fromEntries(files))
}

/** Runs `apply`, while somebody removes each job as soon as it runs. Returns of what these were. */
async function applyRemoving(ground: Ground): Promise<{ readonly ran: Ran; readonly of: readonly string[] }> {
  const of: string[] = []
  const gone = new Set<string>()
  const applied = ground.scene.tallyman.run('apply', '--output', 'json')
  let isOver = false
  const over = () => {
    isOver = true
  }
  applied.then(over, over)
  await waitUntil('it is over', async () => {
    for (const job of await ground.jobs()) {
      if (gone.has(job.key)) continue
      gone.add(job.key)
      of.push(job.of)
      await ground.remove(job.key)
    }
    return isOver
  })
  return { ran: await applied, of }
}

/** What became of the jobs of an application in the last pass. */
async function endsOf({ tallyman }: Scene): Promise<(name: string) => string> {
  const log = await tallyman.run('log', '--output', 'json')
  const [last]: readonly { readonly passId: number }[] = JSON.parse(log.stdout)
  const shown = await tallyman.run('show', String(last?.passId), '--output', 'json')
  const { events }: { readonly events: readonly StepEvent[] } = JSON.parse(shown.stdout)
  return name => {
    const own = events.filter(
      ({ application, step }) => application === name && step.startsWith('run-to-end'),
    )
    expect(own.map(({ note }) => note)).to.include('somebody removed it before it had ended')
    return own.at(-1)?.error?.code ?? 'done'
  }
}

for (const [where, prepare] of [
  ['a host', onHost],
  ['a Swarm', onSwarm],
] as const)
  describe(`hooks and phases that somebody removes on ${where}`, () => {
    it('H4 P6 G5 have failed as their strategy, stage and policy say, and do not run again by themselves', async () => {
      const ground = await prepare()
      await using scene = ground.scene
      for (const tag of ['1', '2']) scene.push('app', tag, image)
      await release(scene, rows, '1')
      expectCode(await scene.tallyman.run('apply'), 0)
      await release(scene, rows, '2')
      const first = await applyRemoving(ground)
      expectCode(first.ran, 1)
      const ends = await endsOf(scene)
      expect((await scene.tallyman.run('log')).stdout).to.include('3 hooks failed, which is ignored')
      const second = await applyRemoving(ground)
      const held = new Map(
        documentOf(second.ran).changes.map(({ application, held }) => [application, held?.code]),
      )
      const seen = await Promise.all(
        rows.map(async row => ({
          ...row,
          ran: [...first.of, ...second.of].filter(name => name === nameOf(row)).length,
          ends: ends(nameOf(row)),
          runs: await ground.runs(nameOf(row)),
          next: held.get(nameOf(row)) ?? 'in sync',
        })),
      )
      expect(seen).to.deep.equal(rows)
    })
  })

describe('a hook of a Swarm that somebody removed, and that uses its grace period', () => {
  const row: Row = { stage: 'pre', policy: 'Abort', ...fails, runs: '1' }

  /** A scene with version 1, to which version 2 is to come. */
  const prepared = async () => {
    const ground = await onSwarm()
    const { scene, swarm } = ground
    for (const tag of ['1', '2']) scene.push('app', tag, image)
    await release(scene, [row], '1')
    expectCode(await scene.tallyman.run('apply'), 0)
    await release(scene, [row], '2')
    /** How many of it ran each time that it was started. */
    const beside: number[] = []
    const isHook = (task: object) => JSON.stringify(task).includes('sleep 600')
    let end = 'running'
    swarm.doesRemovedGoOn = true
    swarm.fate = ({ TaskTemplate }) => {
      if (!isHook(TaskTemplate)) return { State: 'running' }
      beside.push(swarm.tasks({}).filter(one => isHook(one.Spec) && one.Status.State === 'running').length)
      return { State: end }
    }
    /** Waits until it is asked for what goes on, and has that end. */
    const endOnceAsked = async () => {
      const { tasks } = swarm
      let isAsked = false
      swarm.tasks = filters => {
        isAsked ||= filters['name'] !== undefined
        return tasks(filters)
      }
      await waitUntil('it is asked for', () => isAsked)
      swarm.endRemoved()
    }
    const completes = () => {
      end = 'complete'
    }
    return { ...ground, beside, endOnceAsked, completes }
  }

  it('H4 H22 has ended when the rollout is over, and so before somebody has it run again', async () => {
    const ground = await prepared()
    await using scene = ground.scene
    const removing = applyRemoving(ground)
    await waitUntil('it runs', () => ground.beside.length === 1)
    await ground.endOnceAsked()
    const { error } = documentOf((await removing).ran)
    expect(error?.code).to.equal('job-failed')
    expect(error?.hint).to.include('Find out who removed it and how far it came, and run "tallyman retry"')
    ground.completes()
    expectCode(await scene.tallyman.run('apply', '--retry'), 0)
    expect(ground.beside).to.deep.equal([0, 0])
  })

  it('H4 H22 ends before it runs again, if nobody saw that it was removed', async () => {
    const ground = await prepared()
    await using scene = ground.scene
    const daemon = await scene.tallyman.daemon()
    await waitUntil('it runs', async () => (await ground.jobs()).length === 1)
    await daemon.stop()
    for (const { key } of await ground.jobs()) await ground.remove(key)
    ground.completes()
    const applied = scene.tallyman.run('apply')
    await ground.endOnceAsked()
    expectCode(await applied, 0)
    expect(ground.beside).to.deep.equal([0, 0])
  })
})
