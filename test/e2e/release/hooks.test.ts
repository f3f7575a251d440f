import { expect } from 'chai'
import { application, commit, type Stage } from '../../scenes/applications/application-with-hooks.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'
import { execIn } from '../../support/engine/exec-in.ts'

describe('lifecycle hooks', () => {
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
})
