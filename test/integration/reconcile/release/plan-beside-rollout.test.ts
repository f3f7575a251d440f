import { expect } from 'chai'
import { makeReady, whenReady } from '../../../scenes/happenings/interrupt-apply.ts'
import { expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene } from '../scene.ts'

describe('a plan beside a rollout that is under way', () => {
  it('G13 says what has begun, where and since when, and says nothing once it is over', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    scene.push('web', '1', { healthcheck: whenReady })
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const daemon = await tallyman.daemon()
    const fresh = await waitUntil('the container runs', async () => {
      const containers = await scene.containers()
      return containers.find(({ state }) => state === 'running')?.id
    })
    const planned = await tallyman.run('plan')
    expectCode(planned, 0)
    expect(planned.stderr).to.match(
      /^Begun and not over: web 1 on local \(since \d{4}-\S+Z\)\. The plan is of what was there in the middle of it; "tallyman status" shows how far it is\.$/m,
    )
    const { underWay } = JSON.parse((await tallyman.run('plan', '--output', 'json')).stdout)
    expect(underWay).to.have.lengthOf(1)
    expect(underWay[0]).to.include({ site: 'local', application: 'web', version: '1' })
    await makeReady(scene, fresh)
    await daemon.until('it is over', seen => seen.sync === 'Synced' && seen.running === undefined)
    const after = await tallyman.run('plan')
    expect(after.stderr).not.to.include('Begun')
    expect(JSON.parse((await tallyman.run('plan', '--output', 'json')).stdout)).not.to.have.property(
      'underWay',
    )
  })
})
