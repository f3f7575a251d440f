import type { BuildContext } from '../spec/build/context.ts'
import type { EntryOutcome } from '../spec/build/outcomes.ts'
import { contestedProblems, type Reserved } from '../spec/claims/contested.ts'
import type { Whereabouts } from '../spec/claims/whereabouts.ts'
import type { Blocked } from '../state/application/desired.ts'
import { claimedBy, type LoadedRoutes } from '../state/application/ingress/route.ts'
import { everySite, type SiteSet, shareSite, sitesInAny } from '../state/fleet/site-set.ts'
import { type Routed, routedAmong, sitesOfIngress } from './routed-applications.ts'
import type { Reach } from './with-ingress.ts'

/**
 * If applications claim the same thing on a site that is to have both, blocks the later ones in the order of the manifest,
 * and nobody else (D15). If they claim the same requests, all of them are blocked, because a person has to decide. The
 * ports of the ingress are reserved as soon as anything has a route, on the sites that are to have it, and so are those of
 * the ingresses of other environments on the same hosts. Where nobody knows the sites, those that may share one are warned
 * of it.
 */
export async function withoutContested(
  outcomes: readonly EntryOutcome[],
  build: BuildContext,
  ingress: Reach | undefined,
  whereabouts: Whereabouts,
): Promise<readonly EntryOutcome[]> {
  const built = outcomes.filter(outcome => outcome.kind === 'built')
  const blocked = outcomes.flatMap(outcome => (outcome.kind === 'blocked' ? [outcome.blocked] : []))
  const applications = built.map(({ application }) => application)
  const loaded = ingress?.make?.loaded ?? []
  const routed = routedAmong(applications, blocked, loaded)
  const kept = loadedClaims(blocked, loaded, whereabouts)
  const refusedWith = async (of: Whereabouts['of']) =>
    contestedProblems(
      built.map(({ application: { name }, claims }) => ({ name, claims, sites: () => of(name) })),
      [...kept, ...(await portsOfIngresses(routed, build, ingress, { ...whereabouts, of }))],
      whereabouts,
    )
  const { of, mayBe } = whereabouts
  const refused = await refusedWith(of)
  const doubtful = mayBe === undefined ? undefined : await refusedWith(mayBe)
  return outcomes.map(outcome => {
    if (outcome.kind !== 'built') return outcome
    const { name: application } = outcome.application
    const [first, ...more] = refused.get(application) ?? []
    if (first !== undefined)
      return { kind: 'blocked', blocked: { application, problems: [first, ...more] }, built: outcome }
    const doubts = doubtful?.get(application) ?? []
    if (doubts.length === 0) return outcome
    const told = doubts.map(one => ({ ...one, message: `${one.message}; ${doubt}` }))
    return { ...outcome, warnings: [...outcome.warnings, ...told] }
  })
}

const doubt = 'that is an error where a site is to have both, and nobody knows the sites here'

/** Returns the ports of the environment's own ingress, and those of the ingresses of other environments. */
async function portsOfIngresses(
  routed: Routed,
  { environment, environmentName: name, directory }: BuildContext,
  ingress: Reach | undefined,
  whereabouts: Pick<Whereabouts, 'of' | 'named'>,
): Promise<readonly Reserved[]> {
  const called = { environment, name, directory }
  const isMade = routed.applications.length + routed.loaded.length > 0
  const listeners = isMade ? ingress?.listeners?.(called) : undefined
  const neighbours = ingress?.neighbours?.(called) ?? []
  if (listeners === undefined && neighbours.length === 0) return []
  const { reservedPorts } = await import('../ingress/ports.ts')
  const itsSites = lazily(() => sitesOfIngress(routed, whereabouts))
  return [
    ...reservedPorts(listeners, []).map(port => ({ ...port, sites: itsSites })),
    ...neighbours.flatMap(neighbour => {
      const { sites: shared } = neighbour
      const sites = lazily(() => (shared === undefined ? everySite : whereabouts.named(shared)))
      return reservedPorts(undefined, [neighbour]).map(port => ({ ...port, sites }))
    }),
  ]
}

/**
 * Returns what is answered for applications while they are blocked, so that nobody can take it over meanwhile where it is
 * loaded. What another one has taken over already on one of the sites that are to have the application is not reserved.
 */
function loadedClaims(
  blocked: readonly Blocked[],
  loaded: readonly LoadedRoutes[],
  { of, named }: Pick<Whereabouts, 'of' | 'named'>,
): readonly Reserved[] {
  if (blocked.length === 0) return []
  const names = new Set(blocked.map(({ application }) => application))
  const claims = loaded.flatMap(({ sites: where, routes }) => {
    const sites = named(where)
    return routes.flatMap(route => claimedBy(route).map(claim => ({ claim, who: route.application, sites })))
  })
  return [...Map.groupBy(claims, ({ claim }) => claim.text).values()].flatMap(holders => {
    const waiting = new Set(holders.flatMap(({ who }) => (names.has(who) ? [who] : [])))
    return [...waiting].flatMap((who): readonly Reserved[] => {
      const own = holders.filter(holder => holder.who === who)
      const isTaken = holders.some(other => other.who !== who && shareSite(other.sites, of(who)))
      const claim = own.find(({ claim: { isSubtree } }) => isSubtree)?.claim ?? own[0]?.claim
      if (claim === undefined || isTaken) return []
      const sites = sitesInAny(own.map(holder => holder.sites))
      return [{ who, where: 'as it was loaded before it was blocked', claim, sites: () => sites }]
    })
  })
}

function lazily(compute: () => SiteSet): () => SiteSet {
  let known: SiteSet | undefined
  return () => (known ??= compute())
}
