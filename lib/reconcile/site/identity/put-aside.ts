import type { DesiredState } from '../../../state/application/desired.ts'
import type { LiveState } from '../../../state/running/live.ts'
import { marksSeen } from '../../../writer/engine-claims.ts'
import type { SiteWorld } from '../site.ts'
import { laterCount } from './later-journal.ts'
import { isSwarmMadeAnew } from './swarm-made-anew.ts'

/**
 * Why what is on record of a site is not what was brought about last there: it is another Swarm than the one that was
 * recorded, or somebody wrote there of whom the journal does not know.
 */
export type PutAside = 'swarm-made-anew' | 'written-by-others'

/**
 * Returns why what is on record of a site does not count; undefined: it does. Fails as the site does.
 * @param writes whether this process writes to the site
 */
export async function whyPutAside(
  site: SiteWorld,
  desired: DesiredState,
  live: LiveState,
  writes: boolean,
  signal: AbortSignal,
): Promise<PutAside | undefined> {
  if (await isSwarmMadeAnew(site, desired.environment, live, writes, signal)) return 'swarm-made-anew'
  return !writes && (await isWrittenByOthers(site, desired, live, signal)) ? 'written-by-others' : undefined
}

/**
 * Whether another process wrote to a site, or a later state of this journal did (D17). Whoever writes puts aside what is
 * on record as soon as it has the claim; this is for those who only plan, and records nothing. An engine that does not
 * say who wrote there tells nothing.
 */
async function isWrittenByOthers(
  { world: { journal }, engine, memory: { writership } }: SiteWorld,
  desired: DesiredState,
  { containers }: LiveState,
  signal: AbortSignal,
): Promise<boolean> {
  const { environment } = desired
  const { site } = engine
  if (writership.keeper(environment)?.isOurs() === true) return false
  if (laterCount(journal, environment, site, containers) !== undefined) return true
  const isKnown = journal.applied(environment, site).size > 0 || journal.attempts(environment, site).size > 0
  if (!isKnown) return false
  const known = journal.knownMarks(environment, site)
  const marks = await marksSeen(engine, desired, signal).catch(() => [])
  return marks.some(mark => !known.includes(mark))
}
