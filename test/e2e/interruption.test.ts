import { expect } from 'chai'
import { engineCall, engineGet } from '../support/engine-call.ts'
import { waitUntil } from '../support/wait-until.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, idsOf, type Scene, service } from './scene.ts'

describe('an apply that is told to stop', () => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    it(`D4 G12 ${name} ends it within seconds, and the next apply finishes it without a second question`, async () => {
      await using scene = await createScene()
      await Promise.all([scene.push('web', '1'), scene.push('web', '2', { healthcheck: whenReady })])
      await scene.commit({ services: [service('web', '1')] })
      expectCode(await scene.tallyman.run('apply', '--yes'), 0)
      const old = idsOf(await scene.containers())

      await scene.commit({ services: [service('web', '2')] })
      const apply = scene.tallyman.start('apply', '--yes')
      const fresh = await waitUntil('the new container runs', async () => {
        const containers = await scene.containers()
        return containers.find(({ id, state }) => !old.includes(id) && state === 'running')?.id
      })
      apply.signal(name)
      const interrupted = await apply.ended
      expect(await healthOf(scene, fresh), 'it did not wait for the end of the start period').to.equal(
        'starting',
      )
      expectCode(interrupted, 1)
      expect(`${interrupted.stdout}${interrupted.stderr}`).to.include('not done')
      expect(idsOf(await scene.containers())).to.include(old[0])

      await makeReady(scene, fresh)
      const finished = await scene.tallyman.run('apply', '--output', 'json')
      expectCode(finished, 0)
      expect(documentOf(finished).outcome).to.equal('applied')
      expect(idsOf(await scene.containers())).to.deep.equal([fresh])
    })
  }

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

  it('G12 the daemon ends within seconds, and the next one goes on', async () => {
    await using scene = await createScene()
    await scene.push('web', '1', { healthcheck: whenReady })
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const daemon = await scene.tallyman.daemon()
    const fresh = await waitUntil('the new container runs', async () => {
      const containers = await scene.containers()
      return containers.find(({ state }) => state === 'running')?.id
    })
    expect((await daemon.stop()).code).to.equal(0)
    expect(await healthOf(scene, fresh), 'it did not wait for the end of the start period').to.equal(
      'starting',
    )
    await makeReady(scene, fresh)
    const next = await scene.tallyman.daemon()
    await next.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(idsOf(await scene.containers())).to.deep.equal([fresh])
  })
})

/** Healthy as soon as /tmp/ready is there; "starting" for a minute before that. */
const whenReady = {
  test: ['CMD', 'test', '-e', '/tmp/ready'],
  intervalMs: 200,
  timeoutMs: 5_000,
  startPeriodMs: 60_000,
}

/** What the engine says of the health of a container. */
async function healthOf({ dockerSocket }: Scene, id: string): Promise<string> {
  const { State } = Object(await engineGet(dockerSocket, `/containers/${id}/json`))
  return State.Health.Status
}

async function makeReady({ dockerSocket }: Scene, id: string): Promise<void> {
  const command = { Cmd: ['touch', '/tmp/ready'] }
  const made = await engineCall(dockerSocket, 'POST', `/containers/${id}/exec`, command)
  const { Id }: { readonly Id: string } = JSON.parse(made.body.toString())
  await engineCall(dockerSocket, 'POST', `/exec/${Id}/start`, { Detach: false })
}
