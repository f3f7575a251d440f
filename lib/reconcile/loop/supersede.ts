import { Failure } from '../../errors.ts'
import { type Change, isPutBack, keyOf } from '../../plan/change/change.ts'
import type { Wanted } from '../repository/desired.ts'
import { pass } from '../site/pass.ts'
import type { PassResult } from '../site/pass-result.ts'
import type { SiteWorld } from '../site/site.ts'
import { createSiteMemory } from '../site/site-memory.ts'

/**
 * Judges, each time it is called with what the repository wants by then, whether another commit may begin for the
 * services that are being changed. If so, it ends the wait of the running changes. Otherwise ending the wait would
 * leave them half-done (G12, D18).
 */
export function supersede(
  site: SiteWorld,
  { desired: { revision } }: Wanted,
  changes: readonly Change[],
  controller: AbortController,
  signal: AbortSignal,
): (wanted: Wanted) => Promise<void> {
  const { log } = site.world
  let told: string | undefined
  return async wanted => {
    const commit = wanted.newest
    if (commit === revision.commit) return
    const stuck = await stuckIn(site, wanted, changes, signal)
    if (stuck.length === 0) {
      log.info('a newer commit supersedes the rollout', { commit })
      controller.abort(new Failure('superseded', `superseded by commit ${commit}`))
    } else if (told !== commit) {
      told = commit
      log.info('a newer commit cannot take over yet: the rollout goes on', { commit, services: stuck })
    }
  }
}

/**
 * Returns the services under way that the newest commit cannot continue: it cannot be read, or they are held or wait.
 */
async function stuckIn(
  site: SiteWorld,
  wanted: Wanted,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (wanted.unreadable) return changes.map(keyOf)
  const newest = await pass(
    { ...site, memory: createSiteMemory() },
    wanted,
    { trigger: 'news', until: 'plan' },
    signal,
  )
  return changes.filter(change => !mayGoOn(change, newest)).map(keyOf)
}

function mayGoOn(change: Change, { plan, waiting }: PassResult): boolean {
  if (plan === undefined || plan.unseen.includes(change.site)) return false
  if (plan.blocked.some(({ application }) => application === change.application)) return false
  const isSame = (other: Change) => keyOf(other) === keyOf(change)
  // What it wants has to wait, if it would only put back what ran before this rollout, of which nothing failed yet.
  const isUndone = (other: Change) => isPutBack(other) && !isPutBack(change)
  return (
    !waiting.some(isSame) &&
    !plan.changes.some(
      other => isSame(other) && (other.held !== undefined || other.isBegun || isUndone(other)),
    )
  )
}
