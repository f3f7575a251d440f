import { expect } from 'chai'
import { stringify } from 'yaml'
import type { StepEvent } from '../../lib/state/pass/step-event.ts'
import { execIn } from '../support/exec-in.ts'
import type { Ran } from '../support/tallyman.ts'
import { waitUntil } from '../support/wait-until.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, type Scene } from './scene.ts'

type Strategy = 'RollingUpdate' | 'Recreate'
type Stage = 'pre' | 'mid' | 'post'

/** What becomes of a rollout from version 1 to version 2 whose hook in that stage always fails. */
type Row = {
  readonly strategy: Strategy
  readonly stage: Stage
  readonly policy: 'Retry' | 'Abort' | 'Ignore'
  /** Whether it is tried more than once. */
  readonly tries: 'one' | 'several'
  /** What the hook came to. */
  readonly ends: 'done' | 'job-failed' | 'job-timeout'
  /** The version that runs in the end. */
  readonly runs: string
}

const rows: readonly Row[] = [
  {
    strategy: 'RollingUpdate',
    stage: 'pre',
    policy: 'Retry',
    tries: 'several',
    ends: 'job-timeout',
    runs: '1',
  },
  { strategy: 'RollingUpdate', stage: 'pre', policy: 'Abort', tries: 'one', ends: 'job-failed', runs: '1' },
  { strategy: 'RollingUpdate', stage: 'pre', policy: 'Ignore', tries: 'one', ends: 'done', runs: '2' },
  {
    strategy: 'RollingUpdate',
    stage: 'post',
    policy: 'Retry',
    tries: 'several',
    ends: 'job-timeout',
    runs: '2',
  },
  { strategy: 'RollingUpdate', stage: 'post', policy: 'Ignore', tries: 'one', ends: 'done', runs: '2' },
  { strategy: 'Recreate', stage: 'pre', policy: 'Retry', tries: 'several', ends: 'job-timeout', runs: '1' },
  { strategy: 'Recreate', stage: 'pre', policy: 'Abort', tries: 'one', ends: 'job-failed', runs: '1' },
  { strategy: 'Recreate', stage: 'pre', policy: 'Ignore', tries: 'one', ends: 'done', runs: '2' },
  {
    strategy: 'Recreate',
    stage: 'mid',
    policy: 'Retry',
    tries: 'several',
    ends: 'job-timeout',
    runs: 'none',
  },
  { strategy: 'Recreate', stage: 'mid', policy: 'Abort', tries: 'one', ends: 'job-failed', runs: 'none' },
  { strategy: 'Recreate', stage: 'mid', policy: 'Ignore', tries: 'one', ends: 'done', runs: '2' },
  { strategy: 'Recreate', stage: 'post', policy: 'Retry', tries: 'several', ends: 'job-timeout', runs: '2' },
  { strategy: 'Recreate', stage: 'post', policy: 'Abort', tries: 'one', ends: 'job-failed', runs: '2' },
  { strategy: 'Recreate', stage: 'post', policy: 'Ignore', tries: 'one', ends: 'done', runs: '2' },
]

const nameOf = ({ strategy, stage, policy }: Row) => `${strategy}-${stage}-${policy}`.toLowerCase()

/** An application of one service; its hooks as lines for a shell. */
function application(
  scene: Scene,
  name: string,
  version: string,
  type: Strategy,
  hooks: Partial<Record<Stage, { readonly line: string; readonly policy: string }>>,
  parts: { readonly replicas?: number; readonly cmd?: string } = {},
) {
  const { replicas = 1, cmd } = parts
  const written = Object.entries(hooks).map(([stage, { line, policy }]) => [
    stage,
    {
      failurePolicy: policy,
      // Time for several tries, also where eighteen of them start at the same time.
      timeoutSeconds: 15,
      execNewPod: { containerName: 'app', command: ['sh', '-c'], args: [line], volumes: ['log'] },
    },
  ])
  return {
    name,
    services: [
      {
        name,
        replicas,
        volumes: [{ name: 'log', 'persistent-volume': {} }],
        strategy: { type, [type === 'Recreate' ? 'recreate' : 'rollingUpdate']: Object.fromEntries(written) },
        containers: [
          {
            name: 'app',
            image: `${scene.prefix}/app:1`,
            env: { VERSION: version },
            mounts: [{ 'volume-name': 'log', 'mount-path': '/log' }],
            ...(cmd === undefined ? {} : { cmd: ['sh', '-c', cmd] }),
          },
        ],
      },
    ],
  }
}

async function commit(scene: Scene, applications: readonly { readonly name: string }[]): Promise<void> {
  const files = applications.map(one => [`applications/${one.name}.yaml`, stringify(one)])
  const services = applications.map(({ name }) => ({ name }))
  await scene.commit({ services, skipConfirmation: true }, 'Change', Object.fromEntries(files))
}

/** What the steps of the last pass came to, of one application. */
async function eventsOf(scene: Scene): Promise<(application: string) => readonly StepEvent[]> {
  const log = await scene.tallyman.run('log', '--output', 'json')
  const [last]: readonly { readonly passId: number }[] = JSON.parse(log.stdout)
  const shown: Ran = await scene.tallyman.run('show', String(last?.passId), '--output', 'json')
  const { events }: { readonly events: readonly StepEvent[] } = JSON.parse(shown.stdout)
  return application => events.filter(event => event.application === application)
}

describe('lifecycle hooks', () => {
  it('H3 H4 H7 H9 H24 H29 H30 end a rollout as its strategy, the stage and the failure policy say', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    await commit(
      scene,
      rows.map(row => application(scene, nameOf(row), '1', row.strategy, {})),
    )
    expectCode(await scene.tallyman.run('apply'), 0)
    await commit(
      scene,
      rows.map(row =>
        application(scene, nameOf(row), '2', row.strategy, {
          [row.stage]: { line: 'echo no; exit 3', policy: row.policy },
        }),
      ),
    )
    const applied = await scene.tallyman.run('apply', '--output', 'json')
    expectCode(applied, 1)
    expect(documentOf(applied).outcome).to.equal('partially-applied')

    const events = await eventsOf(scene)
    const containers = await scene.containers()
    const seen = await Promise.all(
      rows.map(async (row): Promise<Row> => {
        const mine = events(nameOf(row))
        const tries = mine.filter(({ note = '' }) => note.includes('failed with exit code 3')).length
        return {
          strategy: row.strategy,
          stage: row.stage,
          policy: row.policy,
          tries: tries === 1 ? 'one' : 'several',
          ends: endOf(mine),
          runs: await versionOf(scene, nameOf(row)),
        }
      }),
    )
    expect(seen).to.deep.equal(rows)
    for (const row of rows) {
      const hooks = containers.filter(
        ({ service, labels }) => service === nameOf(row) && labels['tallyman.role'] === 'hook',
      )
      expect(hooks.length, `H9 ${nameOf(row)}: what failed is kept`).to.equal(1)
    }

    const again = await scene.tallyman.run('plan')
    for (const row of rows.filter(({ runs }) => runs === 'none'))
      expect(again.stdout).to.include(
        `${nameOf(row)}  failed before: local: ${nameOf(row)}/${nameOf(row)}: nothing serves, and the old version is not started again`,
      )
    const before = await scene.containers()
    await scene.tallyman.run('apply')
    expect(await scene.containers(), 'G5 H29 nothing is tried again').to.deep.equal(before)
  })

  const told = async (scene: Scene, name: string) => {
    const [one] = (await scene.containers()).filter(
      ({ service, state }) => service === name && state === 'running',
    )
    return one === undefined
      ? []
      : (await execIn(scene.dockerSocket, one.id, 'cat /log/told')).trim().split('\n')
  }

  it('H1 H5 H10 H20 run once per rollout, in their places, and not when a service is scaled', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    const cmd =
      'trap "echo stop $VERSION >> /log/told; exit 0" TERM; echo start $VERSION >> /log/told; sleep 1000000 & wait $!'
    const hook = (stage: Stage) => ({ line: `echo ${stage} $VERSION >> /log/told`, policy: 'Abort' })
    const make = (version: string, replicas: number) => [
      application(
        scene,
        'anew',
        version,
        'Recreate',
        { pre: hook('pre'), mid: hook('mid'), post: hook('post') },
        { cmd, replicas },
      ),
      application(
        scene,
        'on',
        version,
        'RollingUpdate',
        { pre: hook('pre'), post: { ...hook('post'), policy: 'Ignore' } },
        { cmd, replicas: 2 },
      ),
    ]
    await commit(scene, make('1', 1))
    expectCode(await scene.tallyman.run('apply'), 0)
    await commit(scene, make('2', 1))
    expectCode(await scene.tallyman.run('apply'), 0)
    await commit(scene, make('2', 2))
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await told(scene, 'anew')).to.deep.equal([
      ...['pre 1', 'mid 1', 'start 1', 'post 1'],
      ...['pre 2', 'stop 1', 'mid 2', 'start 2', 'post 2'],
      'start 2',
    ])
    expect(await told(scene, 'on')).to.deep.equal([
      ...['pre 1', 'start 1', 'start 1', 'post 1'],
      ...['pre 2', 'start 2', 'stop 1', 'start 2', 'stop 1', 'post 2'],
    ])
    const roles = (await scene.containers()).map(({ labels }) => labels['tallyman.role'])
    expect(roles, 'H9 those that succeeded are removed').to.deep.equal(['app', 'app', 'app', 'app'])
  })

  it('H6 a newer commit aborts the hook that runs, and says so', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    const slow = { line: 'trap "echo told to stop; exit 1" TERM; sleep 600 & wait $!', policy: 'Abort' }
    const make = (version: string, hooks: Parameters<typeof application>[4]) => [
      application(scene, 'web', version, 'RollingUpdate', hooks),
    ]
    await commit(scene, make('1', {}))
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    await commit(scene, make('2', { pre: slow }))
    await waitUntil('the hook runs', async () =>
      (await scene.containers()).some(
        ({ state, labels }) => labels['tallyman.role'] === 'hook' && state === 'running',
      ),
    )
    await commit(scene, make('3', {}))
    await waitUntil('version 3 runs', async () => {
      const version = await versionOf(scene, 'web').catch(() => 'changing')
      return version === '3'
    })
    await daemon.until('it is done', seen => seen.sync === 'Synced' && seen.running === undefined)
    const log = await scene.tallyman.run('log')
    expect(log.stdout).to.include('superseded')
    const roles = (await scene.containers()).map(({ labels }) => labels['tallyman.role'])
    expect(roles).to.deep.equal(['app'])
  })
})

function endOf(events: readonly StepEvent[]): Row['ends'] {
  const code = events.filter(({ step }) => step.startsWith('run-to-end')).at(-1)?.error?.code
  if (code === undefined) return 'done'
  if (code === 'job-failed' || code === 'job-timeout') return code
  throw new Error(`a hook ended with ${code}`)
}

/** The version that the only running instance of a service was made for. */
async function versionOf(scene: Scene, name: string): Promise<string> {
  const [one, other] = (await scene.containers()).filter(
    ({ service, state, labels }) =>
      service === name && state === 'running' && labels['tallyman.role'] === 'app',
  )
  if (other !== undefined) throw new Error(`several instances of ${name} run`)
  return one === undefined ? 'none' : (await execIn(scene.dockerSocket, one.id, 'echo $VERSION')).trim()
}
