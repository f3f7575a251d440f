import type { World } from '../../world.ts'
import { sitesOf } from '../site.ts'

/**
 * Gives up the claims on the engines of an environment, for a command that changes nothing more there: another machine
 * may write from now on. What is still found out for deployments is recorded, so that those keep their claims until the
 * process ends. The claim on this machine stays until then in any case.
 */
export async function leaveEngines(world: World): Promise<void> {
  if (world.memory.fleet.turns.all().length > 0) return
  const leave = async ({ memory: { writership } }: ReturnType<typeof sitesOf>[number]) => {
    const keeper = writership.anyKeeper()
    writership.forgetKeeper()
    if (keeper !== undefined) await world.claims.leave(keeper)
  }
  await Promise.all(sitesOf(world).map(leave))
}
