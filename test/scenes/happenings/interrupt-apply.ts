import { expect } from 'chai'
import type { Tallyman } from '../../support/command/tallyman.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { documentOf, expectCode } from '../plan-document.ts'
import { type AnyScene, idsOf, service } from '../scene.ts'

/** Sends a signal to an apply that waits for health: it ends, and the next one finishes what it began. */
export async function expectFinishedAfter(
  name: 'SIGINT' | 'SIGTERM',
  scene: AnyScene,
  tallyman: Tallyman,
): Promise<void> {
  await Promise.all([scene.push('web', '1'), scene.push('web', '2', { healthcheck: whenReady })])
  await scene.commit({ services: [service('web', '1')] })
  expectCode(await tallyman.run('apply', '--yes'), 0)
  const old = idsOf(await scene.containers())

  await scene.commit({ services: [service('web', '2')] })
  const apply = tallyman.start('apply', '--yes')
  const fresh = await waitUntil('the new container runs', async () => {
    const containers = await scene.containers()
    return containers.find(({ id, state }) => !old.includes(id) && state === 'running')?.id
  })
  apply.signal(name)
  const interrupted = await apply.ended
  expect(await healthOf(scene, fresh), 'it did not wait for the end of the start period').to.equal('starting')
  expectCode(interrupted, 1)
  expect(`${interrupted.stdout}${interrupted.stderr}`).to.include('not done')
  expect(idsOf(await scene.containers())).to.include(old[0])

  await makeReady(scene, fresh)
  const finished = await tallyman.run('apply', '--output', 'json')
  expectCode(finished, 0)
  expect(documentOf(finished).outcome).to.equal('applied')
  expect(idsOf(await scene.containers())).to.deep.equal([fresh])
}

/** Healthy as soon as /tmp/ready is there; "starting" for a minute before that. */
export const whenReady = {
  test: ['CMD', 'test', '-e', '/tmp/ready'],
  intervalMs: 500,
  timeoutMs: 5_000,
  startPeriodMs: 60_000,
}

/** What the engine says of the health of a container. */
export async function healthOf({ dockerSocket }: AnyScene, id: string): Promise<string> {
  const { State } = Object(await engineGet(dockerSocket, `/containers/${id}/json`))
  return State.Health.Status
}

export async function makeReady({ dockerSocket }: AnyScene, id: string): Promise<void> {
  const command = { Cmd: ['touch', '/tmp/ready'] }
  const made = await engineCall(dockerSocket, 'POST', `/containers/${id}/exec`, command)
  const { Id }: { readonly Id: string } = JSON.parse(made.body.toString())
  await engineCall(dockerSocket, 'POST', `/exec/${Id}/start`, { Detach: false })
}
