import { isNowhere, sitesMeant } from '../../fleet/placement.ts'
import { onceFor } from '../../memo/once-for.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import type { SiteLabels } from '../../state/fleet/labels.ts'
import { everySite, noSite, type SiteSet, shareSite, sitesInAny } from '../../state/fleet/site-set.ts'

/** The sites that run an environment, and what was decided about them before. */
export type PlacingSites = {
  readonly here: ReadonlyMap<string, SiteLabels>
  /**
   * Returns, of all deployments that are written, what tells the sites that each means until it is evaluated anew, whatever
   * their labels say by now (A25). Absent: nobody has evaluated any.
   */
  readonly kept?: (written: readonly Deployment[]) => (deployment: Deployment) => readonly string[]
}

/**
 * Which sites are to have which applications of an environment. Only applications that share a site can be in each other's
 * way.
 */
export type Whereabouts = {
  /** Returns the sites that are to have an application. */
  readonly of: (application: string) => SiteSet
  /** Returns the sites that are to have it, or may be. Absent: it is known which are. */
  readonly mayBe?: (application: string) => SiteSet
  /** Returns the sites of these names. */
  readonly named: (sites: readonly string[]) => SiteSet
  /** The sites that are judged. */
  readonly within: SiteSet
  /** Returns the name of the first of these sites that is judged; undefined: they are all sites of the environment. */
  readonly nameIn: (sites: SiteSet) => string | undefined
  /** Returns the same, with these sites judged alone. */
  readonly on: (sites: readonly string[]) => Whereabouts
  /** Returns the same, with all sites judged but these. */
  readonly besides: (sites: readonly string[]) => Whereabouts
}

/**
 * Returns which sites are to have which applications (A20): all of them, unless a deployment says otherwise. One with an
 * expression means the sites that meet it now, and those that it means until it is evaluated anew (A25): either may be so
 * before anybody looks again. Without deployments, sites make no difference. Pure.
 * @param known absent: nobody knows which sites there are
 */
export function whereaboutsOf(
  deployments: readonly Deployment[] = [],
  known: PlacingSites | undefined,
): Whereabouts {
  if (deployments.length === 0) return everywhere
  const by = new Map(deployments.map(deployment => [deployment.application, deployment]))
  return known === undefined || known.here.size === 0 ? somewhere(by) : among(by, known)
}

const everywhere: Whereabouts = {
  of: () => everySite,
  named: () => everySite,
  within: everySite,
  nameIn: () => undefined,
  on: () => everywhere,
  besides: () => everywhere,
}

type ByApplication = ReadonlyMap<string, Deployment>

/** Where nobody knows the sites, only applications that are on all of them share one for certain. */
function somewhere(deployments: ByApplication): Whereabouts {
  const isOnAll = (application: string) =>
    (deployments.get(application)?.placement.kind ?? 'all-sites') === 'all-sites'
  const isOnAny = (application: string) => {
    const deployment = deployments.get(application)
    return deployment === undefined || !isNowhere(deployment)
  }
  const itself: Whereabouts = {
    of: application => (isOnAll(application) ? everySite : noSite),
    mayBe: application => (isOnAny(application) ? everySite : noSite),
    named: () => everySite,
    within: everySite,
    nameIn: () => undefined,
    on: () => itself,
    besides: () => itself,
  }
  return itself
}

function among(deployments: ByApplication, { here, kept }: PlacingSites): Whereabouts {
  const keptOf = kept?.([...deployments.values()])
  const names = [...here.keys()]
  const sites = [...here].map(([name, labels]) => ({ name, labels }))
  const places = new Map(names.map((name, place) => [name, place]))
  const meeting = new Map<string, SiteSet>()
  const named = onceFor((some: readonly string[]): SiteSet => {
    const bits = names.map(() => '0')
    for (const name of some) {
      const place = places.get(name)
      if (place !== undefined) bits[names.length - 1 - place] = '1'
    }
    return BigInt(`0b${bits.join('')}`)
  })
  const meets = ({ placement }: Deployment): SiteSet => {
    if (placement.kind === 'all-sites') return everySite
    // Most deployments of a fleet have one of a few expressions.
    const found = meeting.get(placement.text) ?? named(sitesMeant(placement, sites))
    meeting.set(placement.text, found)
    return found
  }
  const placed = onceFor((deployment: Deployment) => {
    const sitesKept = keptOf?.(deployment)
    return sitesKept === undefined ? meets(deployment) : sitesInAny([meets(deployment), named(sitesKept)])
  })
  const whole = named(names)
  const within = (judged: SiteSet): Whereabouts => ({
    of: application => {
      const deployment = deployments.get(application)
      return deployment === undefined ? everySite : placed(deployment)
    },
    named,
    within: judged,
    nameIn: some => (shareSite(whole, ~some) ? names[firstIn(some & judged)] : undefined),
    on: some => (some.every(site => places.has(site)) ? within(named(some)) : somewhere(deployments)),
    besides: some => within(~named(some)),
  })
  return within(everySite)
}

/** Returns the place of the first site in a set that has one. */
function firstIn(sites: SiteSet): number {
  return (sites & -sites).toString(2).length - 1
}
