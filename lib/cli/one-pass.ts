import { round } from '../reconcile/round.ts'
import type { RoundRequest } from '../reconcile/site/pass-request.ts'
import type { PassResult } from '../reconcile/site/result/pass-result.ts'
import type { World } from '../reconcile/world.ts'
import { hinted } from './output/hinted.ts'
import type { Session } from './session.ts'

/** Looks once at the repository and at all sites for a one-shot command. Its hints name commands for the daemon only if one runs. */
export async function onePass(session: Session, world: World, request: RoundRequest): Promise<PassResult> {
  const result = await round(world, request, session.signal)
  if (result.errors.length === 0) return result
  const hasDaemon = await session.hasDaemon()
  return { ...result, errors: result.errors.map(error => hinted(error, hasDaemon)) }
}
