import { Failure, toFailure } from '../errors.ts'
import { type Change, keyOf } from '../plan/change.ts'
import { pass } from './pass.ts'
import type { PassResult } from './pass-result.ts'
import type { World } from './world.ts'

/**
 * Checks, each time it is called, whether the ref means another commit. If so, and if the new commit may begin for
 * these services, it ends the wait of the running changes. Otherwise ending the wait would leave them half-done (G12,
 * D18).
 */
export function supersede(
  world: World,
  changes: readonly Change[],
  controller: AbortController,
  signal: AbortSignal,
): () => Promise<void> {
  const { source, memory, log } = world
  let told: string | undefined
  return async () => {
    try {
      const commit = await source.lookUp(signal)
      if (commit === memory.desired?.commit) return
      const stuck = await stuckIn(world, changes, signal)
      if (stuck.length === 0) {
        log.info('a newer commit supersedes the rollout', { commit })
        controller.abort(new Failure('superseded', `superseded by commit ${commit}`))
      } else if (told !== commit) {
        told = commit
        log.info('a newer commit cannot take over yet: the rollout goes on', { commit, services: stuck })
      }
    } catch (error) {
      log.debug('cannot look for a newer commit now', { reason: toFailure(error).message })
    }
  }
}

/**
 * Returns the services under way that the newest commit cannot continue: it cannot be read, or they are held or wait.
 */
async function stuckIn(
  world: World,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const freshness = { maxAgeMs: 0, lastGood: false }
  const newest = await pass({ ...world, memory: {} }, { trigger: 'news', until: 'plan', freshness }, signal)
  return changes.filter(change => !mayGoOn(change, newest)).map(keyOf)
}

function mayGoOn(change: Change, { plan, waiting }: PassResult): boolean {
  if (plan === undefined || plan.unseen.includes(change.site)) return false
  if (plan.blocked.some(({ application }) => application === change.application)) return false
  const isSame = (other: Change) => keyOf(other) === keyOf(change)
  return !waiting.some(isSame) && !plan.changes.some(other => isSame(other) && other.held !== undefined)
}
