import type { Deployment, SitePlacement } from '../state/fleet/deployment.ts'
import type { SiteLabels } from '../state/fleet/labels.ts'
import { type LabelMatcher, labelMatcher } from './labels/match.ts'
import { isNeverMet } from './labels/never-met.ts'

/** What a placement needs to know of a site. */
export type LabelledSite = { readonly name: string; readonly labels: SiteLabels }

/** The sites that a deployment means, in the order of the sites that it was asked about. */
export type Placed =
  | { readonly kind: 'placed'; readonly sites: readonly string[]; readonly canaries: readonly string[] }
  /** No site may be changed. The reason continues a sentence that begins with the deployment. */
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Returns the sites that a deployment means, and which of them are its canaries. A deployment with a canary condition
 * that none of its sites meets is refused, because a version would go everywhere without having been tried (A31). One
 * that means no site at all has no canary to miss.
 */
export function placementOf(
  { placement, canary }: Pick<Deployment, 'placement' | 'canary'>,
  sites: readonly LabelledSite[],
): Placed {
  const meant = meantAmong(placement, sites)
  const isCanary: LabelMatcher = canary === undefined ? () => false : labelMatcher(canary.expression)
  const canaries = meant.filter(({ labels }) => isCanary(labels))
  if (canary !== undefined && canaries.length === 0 && meant.length > 0)
    return {
      kind: 'refused',
      reason: `has no canary: ${noneOf(meant)} ${JSON.stringify(canary.text.trim())}`,
    }
  return { kind: 'placed', sites: namesOf(meant), canaries: namesOf(canaries) }
}

function noneOf({ length }: readonly LabelledSite[]): string {
  return length === 1 ? 'its only site does not match' : `none of its ${length} sites matches`
}

/** Returns the names of the sites that a placement means, in their order, whether its deployment can be carried out or not. */
export function sitesMeant(placement: SitePlacement, sites: readonly LabelledSite[]): readonly string[] {
  return namesOf(meantAmong(placement, sites))
}

/** Whether a deployment says that its application is to run nowhere, and not only on no site that there is now (G4). */
export function isNowhere({ placement }: Pick<Deployment, 'placement'>): boolean {
  return placement.kind === 'match-site-labels' && isNeverMet(placement.expression)
}

function meantAmong(placement: SitePlacement, sites: readonly LabelledSite[]): readonly LabelledSite[] {
  const isMeant = matcherOf(placement)
  return sites.filter(({ labels }) => isMeant(labels))
}

function matcherOf(placement: SitePlacement): LabelMatcher {
  switch (placement.kind) {
    case 'all-sites':
      return () => true
    case 'match-site-labels':
      return labelMatcher(placement.expression)
  }
}

function namesOf(sites: readonly LabelledSite[]): readonly string[] {
  return sites.map(({ name }) => name)
}
