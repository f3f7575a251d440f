import { expect } from 'chai'
import type { Watched } from '../../support/command/tallyman.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { type AnyScene, service } from '../scene.ts'

/** What somebody else does to a container; a test whose change the engine refuses would prove nothing. */
export async function changeOutside(
  socket: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<void> {
  const { status } = await engineCall(socket, method, path, body)
  expect(status, path).to.be.within(200, 204)
}

/** Two instances of `web`, and the daemon that brought them up. */
export async function deployed<Daemon extends Watched>(scene: AnyScene<Daemon>): Promise<Daemon> {
  await scene.push('web', '1')
  await scene.commit({ services: [service('web', '1', '1')], skipConfirmation: true })
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
  return daemon
}

/** Expects the last pass that changed something to say that it repaired what was changed from outside. */
export async function expectDriftLogged({ tallyman }: AnyScene): Promise<void> {
  const { stdout } = await tallyman.run('log', '--output', 'json')
  const entries: readonly { readonly passId: number; readonly outcome: string }[] = JSON.parse(stdout)
  const { passId } = entries.find(({ outcome }) => outcome === 'applied') ?? { passId: 0 }
  const shown = await tallyman.run('show', String(passId))
  expect(shown.stdout).to.include('Drift: what runs was changed from outside, and is repaired:')
  expect(shown.stdout, 'nobody was asked').not.to.include('confirmed by')
}
