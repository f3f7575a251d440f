import { engineCall } from '../../support/engine/engine-call.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import type { AnyScene, LiveContainer } from '../scene.ts'

/** Removes the only container behind the back of the daemon, and waits for the one in its place. */
export async function repaired({ dockerSocket, containers }: AnyScene): Promise<LiveContainer> {
  const [before, ...others] = await containers()
  if (before === undefined || others.length > 0) throw new Error('there has to be one container')
  await engineCall(dockerSocket, 'DELETE', `/containers/${before.id}?force=1`)
  return waitUntil('what runs is repaired', async () =>
    (await containers()).find(({ id, state }) => id !== before.id && state === 'running'),
  )
}
