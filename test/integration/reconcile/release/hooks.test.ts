import { expect } from 'chai'
import type { StepEvent } from '../../../../lib/state/pass/step-event.ts'
import {
  application,
  commit,
  type Stage,
  type Strategy,
} from '../../../scenes/applications/application-with-hooks.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { execIn } from '../../../support/engine/exec-in.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, type Scene } from '../scene.ts'

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

describe('lifecycle hooks', () => {
  const it = sideBySide()

  it('H3 H4 H7 H9 H24 H29 H30 end a rollout as its strategy, the stage and the failure policy say', async () => {
    await using scene = await createScene()
    scene.push('app', '1')
    await commit(
      scene,
      rows.map(row => application(scene, nameOf(row), '1', row.strategy, {})),
    )
    expectCode(await scene.tallyman.run('apply'), 0)
    await commit(
      scene,
      rows.map(row =>
        application(
          scene,
          nameOf(row),
          '2',
          row.strategy,
          { [row.stage]: { line: 'echo no; exit 3', policy: row.policy } },
          // The pause before the second try is a second.
          { timeoutSeconds: 4 },
        ),
      ),
    )
    const applied = await scene.tallyman.run('apply', '--output', 'json')
    expectCode(applied, 1)
    expect(documentOf(applied).outcome).to.equal('partially-applied')

    const events = await eventsOf(scene)
    expect((await scene.tallyman.run('log')).stdout).to.include('5 hooks failed, which is ignored')
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
        `${nameOf(row)}  failed before: ${nameOf(row)}/${nameOf(row)}: stopped, and the old version was not started again`,
      )
    const before = await scene.containers()
    await scene.tallyman.run('apply')
    expect(await scene.containers(), 'G5 H29 nothing is tried again').to.deep.equal(before)
  })

  it('H6 a newer commit aborts the hook that runs, and says so', async () => {
    await using scene = await createScene()
    scene.push('app', '1')
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

/** What the steps of the last pass came to, of one application. */
async function eventsOf(scene: Scene): Promise<(application: string) => readonly StepEvent[]> {
  const log = await scene.tallyman.run('log', '--output', 'json')
  const [last]: readonly { readonly passId: number }[] = JSON.parse(log.stdout)
  const shown = await scene.tallyman.run('show', String(last?.passId), '--output', 'json')
  const { events }: { readonly events: readonly StepEvent[] } = JSON.parse(shown.stdout)
  return application => events.filter(event => event.application === application)
}

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
