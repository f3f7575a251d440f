import { expect } from 'chai'
import { expectCode } from '../../../scenes/plan-document.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { execIn } from '../../../support/engine/exec-in.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene, type Scene } from '../scene.ts'

describe('a pod of which the apps may end', () => {
  const it = sideBySide()

  async function prepared(): Promise<Scene> {
    const scene = await createScene()
    for (const name of ['sandbox', 'tools']) scene.push(name, '1')
    return scene
  }

  const shell = async (scene: Scene, app: string, line: string): Promise<string> => {
    const found = (await scene.containers()).find(({ labels }) => labels['tallyman.container'] === app)
    return execIn(scene.dockerSocket, found?.id ?? '', line)
  }

  const commit = (scene: Scene, restart: string, lines: readonly string[], message: string) =>
    scene.commit({ services: [{ name: 'worker' }] }, message, {
      'applications/worker.json': JSON.stringify({
        acVersion: '0.8.11',
        acKind: 'PodManifest',
        apps: lines.map((line, n) => ({
          name: `app-${n + 1}`,
          image: { name: 'tools', labels: [{ name: 'version', value: '1' }] },
          app: { user: '0', group: '0', exec: ['sh', '-c', line] },
          mounts: [{ volume: 'work', path: '/work' }],
        })),
        volumes: [{ name: 'work', kind: 'empty' }],
        annotations: [{ name: 'tallyman/restart', value: restart }],
      }),
    })
  const runs = async (scene: Scene) =>
    (await scene.containers())
      .filter(({ labels }) => labels['tallyman.role'] === 'app')
      .map(({ id, state }) => [id, state])
      .toSorted()
  const seen = async ({ tallyman }: Scene) => {
    const daemon = await tallyman.daemon()
    const { applications } = await daemon.until('it has looked', one => one.lookedAt !== undefined)
    await daemon.stop()
    return applications.map(({ health, sync, running, reason }) => ({ health, sync, running, reason }))
  }

  it('X5 C51 is complete when all of them have ended with 0, and is left alone', async () => {
    await using scene = await prepared()
    const { tallyman } = scene
    await commit(scene, 'never', ['exit 0', 'sleep 1'], 'First')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const before = await waitUntil('both have ended', async () => {
      const now = await runs(scene)
      return now.every(([, state]) => state === 'exited') ? now : undefined
    })
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await runs(scene)).to.deep.equal(before)
    expect(await seen(scene)).to.deep.equal([
      { health: 'Healthy', sync: 'Synced', running: 1, reason: 'complete' },
    ])
    expect(await runs(scene)).to.deep.equal(before)
  })

  it('X5 C51 has failed when one of them ends otherwise, at once or later, and is not started again', async () => {
    await using scene = await prepared()
    const { tallyman } = scene
    await commit(
      scene,
      'never',
      ['until test -e /work/end; do sleep 0.1; done; exit 3', 'sleep 1000'],
      'First',
    )
    expectCode(await tallyman.run('apply', '--yes'), 0)
    await shell(scene, 'app-2', 'touch /work/end')
    const before = await waitUntil('it has ended', async () => {
      const now = await runs(scene)
      return now.some(([, state]) => state === 'exited') ? now : undefined
    })
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await runs(scene)).to.deep.equal(before)
    const reason = 'app-1 has ended with exit code 3, and is not started again'
    expect(await seen(scene)).to.deep.equal([{ health: 'Degraded', sync: 'Synced', running: 1, reason }])

    await commit(scene, 'never', ['exit 4', 'sleep 1000'], 'Second')
    const failed = await tallyman.run('apply', '--yes')
    expectCode(failed, 1)
    expect(failed.stderr).to.include('with code 4')
    expect(await runs(scene), 'what ran before is put back as it was').to.deep.equal(before)
  })

  it('X5 C50 is started anew as a whole when its sandbox was stopped', async () => {
    await using scene = await prepared()
    const { tallyman } = scene
    await commit(scene, 'never', ['echo x >> /work/runs', 'sleep 1000'], 'First')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const sandbox = (await scene.containers()).find(({ labels }) => labels['tallyman.role'] === 'sandbox')
    await engineCall(scene.dockerSocket, 'POST', `/containers/${sandbox?.id}/stop?t=1`)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await shell(scene, 'app-2', 'cat /work/runs')).to.equal('x\nx\n')
    expect((await seen(scene)).map(({ health }) => health)).to.deep.equal(['Healthy'])
  })

  it('X5 has an app started again that somebody stopped, and not one that has ended', async () => {
    await using scene = await prepared()
    const { tallyman } = scene
    await commit(scene, 'never', ['echo x >> /work/runs', 'sleep 1000'], 'First')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const app = (await scene.containers()).find(({ labels }) => labels['tallyman.container'] === 'app-2')
    await engineCall(scene.dockerSocket, 'POST', `/containers/${app?.id}/stop?t=1`)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await shell(scene, 'app-2', 'cat /work/runs')).to.equal('x\n')
  })
})
