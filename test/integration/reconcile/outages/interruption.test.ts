import { expect } from 'chai'
import {
  expectFinishedAfter,
  healthOf,
  makeReady,
  whenReady,
} from '../../../scenes/happenings/interrupt-apply.ts'
import { idsOf, service } from '../../../scenes/scene.ts'
import { createTallyman } from '../../../support/command/tallyman.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { createScene } from '../scene.ts'

describe('a process of Node.js that is told to stop', () => {
  it('D4 G12 SIGTERM ends an apply within seconds, and the next one finishes it without a second question', async () => {
    await using scene = await createScene()
    await using tallyman = await createTallyman(scene.config, scene.dockerSocket)
    await expectFinishedAfter('SIGTERM', scene, tallyman)
  })

  it('G12 the daemon ends within seconds, and the next one goes on', async () => {
    await using scene = await createScene()
    await using tallyman = await createTallyman(scene.config, scene.dockerSocket)
    scene.push('web', '1', { healthcheck: whenReady })
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const daemon = await tallyman.daemon()
    const fresh = await waitUntil('the new container runs', async () => {
      const containers = await scene.containers()
      return containers.find(({ state }) => state === 'running')?.id
    })
    expect((await daemon.stop()).code).to.equal(0)
    expect(await healthOf(scene, fresh), 'it did not wait for the end of the start period').to.equal(
      'starting',
    )
    await makeReady(scene, fresh)
    const next = await tallyman.daemon()
    await next.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(idsOf(await scene.containers())).to.deep.equal([fresh])
  })
})
