import { expect } from 'chai'
import { expectFinishedAfter, makeReady, whenReady } from '../../scenes/happenings/interrupt-apply.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, idsOf, service } from '../../scenes/scene.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('an apply that is told to stop', () => {
  it('D4 G12 SIGINT ends it within seconds, and the next apply finishes it without a second question', async () => {
    await using scene = await createScene()
    await expectFinishedAfter('SIGINT', scene, scene.tallyman)
  })

  it('G12 kill -9 loses nothing: the next apply finishes what was begun', async () => {
    await using scene = await createScene()
    await scene.push('web', '1', { healthcheck: whenReady })
    await scene.commit({ services: [service('web', '1')] })
    const apply = scene.tallyman.start('apply', '--yes')
    const fresh = await waitUntil('the new container runs', async () => {
      const containers = await scene.containers()
      return containers.find(({ state }) => state === 'running')?.id
    })
    apply.signal('SIGKILL')
    await apply.ended
    await makeReady(scene, fresh)
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(idsOf(await scene.containers())).to.deep.equal([fresh])
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
