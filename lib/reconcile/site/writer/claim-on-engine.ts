import { isUnreachable } from '../../../errors/site-unreachable.ts'
import { toFailure } from '../../../errors.ts'
import type { Identity } from '../../../state/identity.ts'
import { heldElsewhere } from '../../../writer/engine-claims.ts'
import type { Keeper } from '../../../writer/on-engine/keeper.ts'
import type { Whose } from '../../../writer/on-engine/take-claim.ts'
import type { SiteWorld } from '../site.ts'
import { heedOthers } from './heed-others.ts'
import type { ClaimManner, SiteClaim } from './site-claim.ts'

/**
 * Claims an environment on the engine of a site, once it is claimed on this machine. Where it begins late and nobody has
 * the claim, nothing is made: what others do from now on makes void what is planned from now on, as `secureClaim` finds out
 * before anything is changed (D17).
 */
export async function claimOnEngine(
  site: SiteWorld,
  identity: Identity,
  { isPatient, begins }: ClaimManner,
  signal: AbortSignal,
): Promise<SiteClaim> {
  const { engine } = site
  const { journal } = site.world
  const kept = site.memory.writership.keeper(identity.environment)
  if (kept?.isOurs()) {
    // Otherwise nobody took it meanwhile, and no pass asks the journal.
    if (kept.traces.hasWon || kept.traces.hasNews) recordOurs(site, identity, kept)
    return { state: 'ours' }
  }
  const keeper = kept ?? (await keep(site, identity))
  let standing: Whose
  try {
    standing = await keeper[begins === 'at once' ? 'take' : 'glance'](isPatient, signal)
  } catch (error) {
    const failure = toFailure(error)
    if (!isUnreachable(failure) && !noWay.includes(failure.code)) return { state: 'rival', failure }
    journal.setEnvironment(identity)
    return { state: 'silent', failure }
  }
  switch (standing.is) {
    case 'theirs':
      heedOthers(site, identity, keeper.traces.marks)
      return { state: 'rival', failure: heldElsewhere(engine.site, identity, standing.holder) }
    case 'ours':
      journal.setEnvironment(identity)
      recordOurs(site, identity, keeper)
      return { state: 'ours' }
    case 'free':
      journal.setEnvironment(identity)
      recordSeen(site, identity, keeper)
      if (begins === 'meanwhile') keeper.prepare()
      return { state: 'ours' }
  }
}

async function keep(site: SiteWorld, identity: Identity): Promise<Keeper> {
  const { world, engine, memory } = site
  const { claims, journal } = world
  const { writership } = memory
  const { environment, source, address, directory } = identity
  const before = writership.anyKeeper()
  if (before !== undefined) await claims.leave(before)
  const plain = { environment, source, address, directory }
  const keeper = claims.keep(engine, plain, {
    onNews: writership.tellNews,
    // Once the claim is there, those of others may be gone by the time this process dies.
    onMark: mark => {
      heedOthers(site, identity, keeper.traces.marks)
      journal.knowMark(environment, engine.site, mark)
    },
  })
  writership.setKeeper(environment, keeper)
  return keeper
}

/** Records that this process has the claim. From then on the journal knows all marks that are there. */
function recordOurs(site: SiteWorld, identity: Identity, keeper: Keeper): void {
  heedOthers(site, identity, keeper.traces.marks)
  site.world.journal.knowMarks(identity.environment, site.engine.site, keeper.marks())
  Object.assign(keeper.traces, { hasWon: false, hasNews: false })
}

/** Records the marks that are there although nobody has the claim. Another process with this journal may know of more. */
function recordSeen(site: SiteWorld, identity: Identity, keeper: Keeper): void {
  heedOthers(site, identity, keeper.traces.marks)
  const { journal } = site.world
  const { environment } = identity
  const known = journal.knownMarks(environment, site.engine.site)
  for (const mark of keeper.marks())
    if (!known.includes(mark)) journal.knowMark(environment, site.engine.site, mark)
}

/** We did not get so far as to be told whose it is. */
const noWay: readonly string[] = ['engine-denied', 'interrupted']
