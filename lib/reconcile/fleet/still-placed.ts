import { isNowhere, placementOf, sitesMeant } from '../../fleet/placement.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import { onceFor } from '../../memo/once-for.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import { type ConnectedSite, endpointsOf, renamed } from './sites/known-sites.ts'

/**
 * Returns what tells how a deployment was evaluated before; undefined: it was not. Under another name it is the same one,
 * because an application has only one: of those on record for its application, it is the first that is not written any
 * more. Pure.
 * @param written all deployments of the environment, as they are now
 */
export function placementsBefore(
  placements: ReadonlyMap<string, PlacedSites>,
  written: readonly Pick<Deployment, 'name'>[],
): (deployment: Pick<Deployment, 'name' | 'application'>) => PlacedSites | undefined {
  const names = new Set(written.map(({ name }) => name))
  const gone = [...placements.values()].filter(({ deployment }) => !names.has(deployment.name))
  const byApplication = new Map(gone.toReversed().map(one => [one.deployment.application, one]))
  return ({ name, application }) => placements.get(name) ?? byApplication.get(application)
}

/** Whether somebody updated a deployment, so that its sites are evaluated again (A25): also if it names another version. */
export function isUpdated(before: Deployment, { revision, version }: Deployment): boolean {
  return before.revision !== revision || before.version !== version
}

/**
 * Returns the sites that a deployment means as it was evaluated before, under their present names: until it is updated, or
 * somebody asks for it, whatever their labels say by now (A25). If it is updated so that it means none of the sites, that
 * may be a mistake, and they keep what they have (G4). Pure.
 */
export function stillPlaced(
  deployment: Deployment,
  before: PlacedSites,
  sites: readonly ConnectedSite[],
): readonly string[] {
  const isKept =
    !isUpdated(before.deployment, deployment) || (!isNowhere(deployment) && isUnmet(deployment, sites))
  return isKept ? renamed(before, endpointsOf(sites)).sites : []
}

/** Whether no site meets what a deployment asks of all of them, or of its canaries, so that it is refused. */
function isUnmet(deployment: Deployment, sites: readonly ConnectedSite[]): boolean {
  const placed = placementOf(deployment, sites)
  return placed.kind === 'refused' || placed.sites.length === 0
}

/**
 * Returns those sites of a placement that do not meet its expression by now. Most of the time there are none, and many
 * sites to go through, so that it is found out once. Pure.
 */
export const placedApart = onceFor((before: PlacedSites) =>
  onceFor((sites: readonly ConnectedSite[]): readonly string[] => {
    const meant = new Set(sitesMeant(before.deployment.placement, sites))
    return renamed(before, endpointsOf(sites)).sites.filter(site => !meant.has(site))
  }),
)
