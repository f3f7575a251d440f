import { rename } from 'node:fs/promises'
import { expect } from 'chai'
import type { StepEvent } from '../../../../lib/state/pass/step-event.ts'
import { application, commit } from '../../../scenes/applications/application-with-hooks.ts'
import { changeOutside } from '../../../scenes/happenings/change-outside.ts'
import { whenReady } from '../../../scenes/happenings/interrupt-apply.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { Refusal } from '../../../support/simulated/server/refusal.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, type Scene } from '../scene.ts'

const tagsOf = async (scene: Scene) =>
  (await scene.containers()).map(({ labels }) => labels['tallyman.image']?.split(':').at(-1))

describe('an application that goes back to a version', () => {
  const it = sideBySide()

  /** Version 2 of `web` runs, version 1 is kept. */
  async function releasedTwice(scene: Scene): Promise<void> {
    for (const tag of ['1', '2']) {
      scene.push('web', tag, { env: { V: tag } })
      await scene.commit({ services: [service('web', tag)] })
      expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    }
  }

  it('A12 D2 is planned, waits for an approval, and stays when commits come, without a daemon as with one', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await releasedTwice(scene)
    expectCode(await tallyman.run('rollback', 'web', '--now'), 0)
    const planned = await tallyman.run('plan', '--detailed-exitcode')
    expectCode(planned, 2)
    expect(planned.stdout + planned.stderr).to.match(/web is held at version 1 of commit [0-9a-f]{12} by /)
    expect(await tagsOf(scene)).to.deep.equal(['2'])
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await tagsOf(scene)).to.deep.equal(['1'])

    scene.push('web', '3', { env: { V: '3' } })
    await scene.commit({ services: [service('web', '3')] })
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    const list = documentOf(await tallyman.run('versions', 'web', '--output', 'json'))
    expect(list).to.deep.include({ application: 'web', wanted: '1' })
    expectCode(await tallyman.run('resume', 'web'), 0)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await tagsOf(scene)).to.deep.equal(['3'])
  })

  it('A12 G12 goes back also without a daemon while the repository is away, and says that it is', async () => {
    await using scene = await createScene()
    const { tallyman, repository } = scene
    await releasedTwice(scene)
    await rename(repository.bare, `${repository.bare}.away`)
    expectCode(await tallyman.run('rollback', 'web', '--now'), 0)
    const applied = await tallyman.run('apply', '--yes')
    expectCode(applied, 1)
    expect(applied.stderr).to.match(/\(git-\w+\)|repository/)
    expect(await tagsOf(scene)).to.deep.equal(['1'])
    await rename(`${repository.bare}.away`, repository.bare)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await tagsOf(scene)).to.deep.equal(['1'])
  })

  it('A6 A12 X8 runs the hooks of that version, with git and the registry down', async () => {
    await using scene = await createScene()
    const { tallyman, repository } = scene
    scene.push('app', '1')
    const release = (version: string, code: number) =>
      commit(scene, [
        {
          ...application(scene, 'web', version, 'RollingUpdate', {
            pre: { line: `echo no; exit ${code}`, policy: 'Ignore' },
          }),
          ...{ version },
        },
      ])
    for (const [version, code] of [
      ['1.0', 3],
      ['2.0', 4],
    ] as const) {
      await release(version, code)
      expectCode(await tallyman.run('apply'), 0)
    }
    await rename(repository.bare, `${repository.bare}.away`)
    scene.engine.registry.refuses(new Refusal(500, 'dial tcp: connection refused'))
    expectCode(await tallyman.run('rollback', 'web', '--now'), 0)
    expectCode(await tallyman.run('apply', '--yes'), 1)
    const { stdout } = await tallyman.run('show', '3', '--output', 'json')
    const { events }: { readonly events: readonly StepEvent[] } = JSON.parse(stdout)
    const notes = events.flatMap(({ step, note }) => (step.startsWith('run-to-end') ? (note ?? []) : []))
    expect(notes).to.deep.equal(['try 1 failed with exit code 3: no', 'failed, which is ignored'])
  })

  it('A12 D18 is kept as it is while the way back waits for an approval', async () => {
    await using scene = await createScene()
    await releasedTwice(scene)
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expectCode(await scene.tallyman.run('rollback', 'web', '--now'), 0)
    const waits = await daemon.until('the plan waits', seen => seen.waiting !== undefined)
    const [running] = await scene.containers()
    if (running === undefined) throw new Error('one runs')
    await changeOutside(scene.dockerSocket, 'POST', `/containers/${running.id}/stop`)
    await waitUntil('it is repaired as it was', async () => {
      const [again] = await scene.containers()
      return again?.id === running.id && again.state === 'running'
    })
    expect(await tagsOf(scene)).to.deep.equal(['2'])
    expectCode(await scene.tallyman.run('approve', waits.waiting?.plan ?? ''), 0)
    await daemon.until('it went back', seen => seen.applications[0]?.version === '1')
    expect(await tagsOf(scene)).to.deep.equal(['1'])
  })

  it('A12 G12 goes back at once while the version waits to be healthy, and the rollout ends', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag, { env: { V: tag } })
    scene.push('web', '3', { healthcheck: whenReady })
    for (const tag of ['1', '2']) {
      await scene.commit({ skipConfirmation: true, services: [service('web', tag)] })
      expectCode(await tallyman.run('apply'), 0)
    }
    const daemon = await tallyman.daemon()
    await scene.commit({ skipConfirmation: true, services: [service('web', '3')] })
    await daemon.until('it waits', seen => seen.running?.step?.startsWith('await-healthy') === true)
    expectCode(await tallyman.run('rollback', 'web', '--now', '--to', '1'), 0)
    await daemon.until(
      'it went back',
      seen => seen.applications[0]?.version === '1' && seen.sync === 'Synced',
    )
    expect(await tagsOf(scene)).to.deep.equal(['1'])
  })
})
