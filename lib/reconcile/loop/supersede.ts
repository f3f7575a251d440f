import { Failure } from '../../errors.ts'
import type { LinkedAbort } from '../../linked-abort.ts'
import { type Change, isPutBack, keyOf } from '../../plan/change/change.ts'
import { type DesiredState, variantFor, wantedFrom } from '../../state/application/desired.ts'
import type { Wanted } from '../repository/desired.ts'
import { pass } from '../site/pass.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import type { SiteWorld } from '../site/site.ts'
import { createSiteMemory } from '../site/site-memory.ts'

/**
 * Judges, each time it is called with what is wanted by then, whether another commit may begin for the services that
 * are being changed by then: a newer one, or the one at which somebody holds an application from now on (A12). If so, it ends
 * the wait of the running changes. Otherwise ending the wait would leave them half-done (G12, D18).
 */
export function supersede(
  site: SiteWorld,
  { desired }: Wanted,
  underWay: () => readonly Change[],
  controller: Pick<LinkedAbort, 'abort'>,
  signal: AbortSignal,
): (wanted: Wanted) => Promise<void> {
  const { log } = site.world
  let told: string | undefined
  return async wanted => {
    const changes = underWay()
    if (changes.length === 0) return
    const isNewest = wanted.newest !== desired.revision.commit
    const commit = isNewest ? wanted.newest : otherCommit(site, desired, wanted.desired, changes)
    if (commit === undefined) return
    const which = isNewest ? 'a newer' : 'another'
    const stuck = await stuckIn(site, wanted, underWay, signal)
    if (stuck.length === 0) {
      log.info(`${which} commit supersedes the rollout`, { commit })
      controller.abort(new Failure('superseded', `superseded by commit ${commit}`))
    } else if (told !== commit) {
      told = commit
      log.info(`${which} commit cannot take over yet: the rollout goes on`, { commit, services: stuck })
    }
  }
}

/** Returns the commit of which one of the applications under way is wanted now, if that was another one before. */
function otherCommit(
  { engine: { site } }: SiteWorld,
  before: DesiredState,
  now: DesiredState,
  changes: readonly Change[],
): string | undefined {
  const commitIn = (desired: DesiredState, change: Change) => wantedFrom(variantFor(desired, site), change)
  const other = changes.find(change => commitIn(now, change) !== commitIn(before, change))
  return other && commitIn(now, other)
}

/**
 * Returns the services under way that the newest commit cannot continue: it cannot be read, or they are held or wait.
 */
async function stuckIn(
  site: SiteWorld,
  wanted: Wanted,
  underWay: () => readonly Change[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (wanted.unreadable) return underWay().map(keyOf)
  await site.world.turns.begin()
  const newest = await pass(
    { ...site, memory: createSiteMemory() },
    wanted,
    { trigger: 'news', until: 'plan' },
    signal,
  )
  // What has ended meanwhile is not left half-done, whatever becomes of it.
  return underWay()
    .filter(change => !mayGoOn(change, newest))
    .map(keyOf)
}

function mayGoOn(change: Change, { plan, waiting, desired }: PassResult): boolean {
  if (plan === undefined || plan.unseen.includes(change.site)) return false
  if (plan.blocked.some(({ application }) => application === change.application)) return false
  const isSame = (other: Change) => keyOf(other) === keyOf(change)
  const isWanted = desired?.applications.some(
    ({ name, services }) =>
      name === change.application && services.some(({ name }) => name === change.service),
  )
  // What it wants has to wait, if it would only put back what ran before this rollout, of which nothing failed yet.
  const isUndone = (other: Change) => isWanted !== false && isPutBack(other) && !isPutBack(change)
  return (
    !waiting.some(isSame) &&
    !plan.changes.some(
      other => isSame(other) && (other.held !== undefined || other.isBegun || isUndone(other)),
    )
  )
}
