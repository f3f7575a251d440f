import { Failure } from '../../errors.ts'
import type { LinkedAbort } from '../../linked-abort.ts'
import { type Change, keyOf } from '../../plan/change/change.ts'
import { type DesiredState, variantFor, wantedFrom } from '../../state/application/desired.ts'
import type { Wanted } from '../repository/desired.ts'
import { inTurn } from '../site/in-turn.ts'
import { pass } from '../site/pass.ts'
import type { SiteWorld } from '../site/site.ts'
import { createSiteMemory } from '../site/site-memory.ts'
import type { NewerCommit } from './under-way.ts'
import { whyNotYet } from './why-not-yet.ts'

/**
 * Judges, each time it is called with what is wanted by then, whether another commit may begin for the services that
 * are being changed by then: a newer one, or the one at which somebody holds an application from now on (A12). If so, it
 * ends the wait of the running changes. Otherwise ending the wait would leave them half-done (G12, D18), and `onWait` is
 * told which commit waits, and why; undefined: none does any more (G13).
 */
export function supersede(
  site: SiteWorld,
  { desired }: Wanted,
  underWay: () => readonly Change[],
  controller: Pick<LinkedAbort, 'abort'>,
  signal: AbortSignal,
  onWait: (newer: NewerCommit | undefined) => void,
): (wanted: Wanted) => Promise<void> {
  const { log } = site.world
  let told: string | undefined
  return async wanted => {
    const changes = underWay()
    if (changes.length === 0) return
    const isNewest = wanted.newest !== desired.revision.commit
    const commit = isNewest ? wanted.newest : otherCommit(site, desired, wanted.desired, changes)
    if (commit === undefined) return onWait(undefined)
    const which = isNewest ? 'a newer' : 'another'
    const stuck = await stuckIn(site, wanted, underWay, signal)
    const [first] = stuck
    if (first === undefined) {
      log.info(`${which} commit supersedes the rollout`, { commit })
      controller.abort(new Failure('superseded', `superseded by commit ${commit}`))
      return
    }
    const { revision } = wanted.desired
    const subject = revision.commit === commit ? revision.subject : ''
    onWait({ commit, subject, reason: first.reason })
    if (told === commit) return
    told = commit
    const services = stuck.map(({ key }) => key)
    log.info(`${which} commit cannot take over yet: the rollout goes on`, { commit, services })
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
 * Returns the changes under way from which the newest commit cannot take over, with the reason: it cannot be read, or
 * they are held or wait.
 */
async function stuckIn(
  site: SiteWorld,
  wanted: Wanted,
  underWay: () => readonly Change[],
  signal: AbortSignal,
): Promise<readonly { readonly key: string; readonly reason: string }[]> {
  if (wanted.unreadable)
    return underWay().map(change => ({ key: keyOf(change), reason: 'it cannot be read' }))
  const apart = { ...site, memory: createSiteMemory() }
  const newest = await inTurn(site, () => pass(apart, wanted, { trigger: 'news', until: 'plan' }, signal))
  // What has ended meanwhile is not left half-done, whatever becomes of it.
  return underWay().flatMap(change => {
    const reason = whyNotYet(change, newest)
    return reason === undefined ? [] : [{ key: keyOf(change), reason }]
  })
}
