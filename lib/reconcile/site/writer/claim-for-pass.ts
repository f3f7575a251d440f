import type { Failure } from '../../../errors.ts'
import { type DesiredState, variantFor } from '../../../state/application/desired.ts'
import type { Identity } from '../../../state/identity.ts'
import type { World } from '../../world.ts'
import { meetEngine, recordServed, takeEngine } from '../identity/twin.ts'
import type { PassRequest, RoundRequest } from '../pass-request.ts'
import { isStillThere, type SiteWorld, sitesOf } from '../site.ts'
import { claim } from './become-writer.ts'
import type { ClaimManner, SiteClaim } from './site-claim.ts'
import type { WhoseSite } from './whose-sites.ts'

/** Claims a site for a pass that may change something there. `silence`: why its engine does not answer, if that is known. */
export async function claimForPass(
  site: SiteWorld,
  identity: Identity,
  request: Pick<PassRequest, 'isRepeated'>,
  silence: Failure | undefined,
  signal: AbortSignal,
): Promise<SiteClaim> {
  const manner = { isPatient: request.isRepeated !== true, begins: 'at once' } as const
  const claimed = await claimNow(site, identity, manner, silence, signal)
  if (claimed.state === 'ours') recordServed(site, identity)
  return claimed
}

async function claimNow(
  site: SiteWorld,
  identity: Identity,
  manner: ClaimManner,
  silence: Failure | undefined,
  signal: AbortSignal,
): Promise<SiteClaim> {
  const claimed: SiteClaim =
    silence === undefined
      ? await claim(site, identity, manner, signal)
      : { state: 'silent', failure: silence }
  const isRival = claimed.state === 'rival' && claimed.failure.code === 'another-writer'
  site.memory.writership.setRival(isRival ? claimed.failure : undefined)
  noteWhose(site, claimed.state === 'ours' ? 'ours' : isRival ? 'theirs' : 'none')
  return claimed
}

/**
 * Notes who writes to a site, if that is still there. A site of ours that falls silent stays ours. What goes from site to
 * site is looked at again if this process may bring it on now, and could not before, or the other way round.
 */
export function noteWhose(noted: SiteWorld, now: WhoseSite): void {
  const { memory, engines } = noted.world
  const { site } = noted.engine
  const { whose, fleet } = memory
  if (!isStillThere(noted) || (now === 'none' && whose.of(site) === 'ours')) return
  whose.set(site, now)
  fleet.readiness.setTheirs(site, now === 'theirs')
  if (whose.areOurs(engines.length, false) !== fleet.turns.moves()) fleet.news.note('due')
}

/**
 * Claims all sites of an environment, each as its pass would. Returns the claims of those that can be looked at, by site.
 * Costs one wait for those that do not answer, because their passes need not ask again, and none for those of which it is
 * known (`unreached`). As which site each engine is served
 * from now on is left to `recordServed`: until then, it is known as which one it was.
 */
export async function claimSites(
  world: World,
  desired: DesiredState,
  mannerOn: (site: string) => ClaimManner,
  unreached: RoundRequest['unreached'],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SiteClaim>> {
  const claims = await Promise.all(
    sitesOf(world).map(site =>
      world.pools.look(site.engine.site, async () => {
        const { site: name } = site.engine
        const known = unreached?.get(name)
        const claimed = await claimAlone(site, variantFor(desired, name), mannerOn(name), known, signal)
        return claimed === undefined ? [] : [[name, claimed] as const]
      }),
    ),
  )
  return new Map(claims.flat())
}

/** Undefined: its pass is refused, for example because the site is the engine of another one. */
async function claimAlone(
  site: SiteWorld,
  identity: Identity,
  manner: ClaimManner,
  known: Failure | undefined,
  signal: AbortSignal,
): Promise<SiteClaim | undefined> {
  try {
    const silence = known ?? (await meetEngine(site, signal))
    using _ = takeEngine(site, identity, true)
    return await claimNow(site, identity, manner, silence, signal)
  } catch {
    // The pass asks again, and says what keeps it from the site.
    noteWhose(site, 'none')
    return undefined
  }
}
