import { knownName } from '../text/unknown-name.ts'
import { recordSaid } from './record-said.ts'
import type { SiteRequest } from './request.gen.ts'
import { addressed } from './subject/addressed.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience } from './subject/subject.ts'

export type DrainedSite = { readonly site: string; readonly isDraining: boolean }

/**
 * Makes a site tell load balancers to send it no requests. It is in no plan, and works while no plan can be made: the
 * ingress is told at once. Fails with what the ingress says.
 */
export function drain(audience: Audience, speaker: Speaker, given: SiteRequest): Promise<DrainedSite> {
  return setDraining(audience, speaker, given, 'drain')
}

/** Ends the draining of a site. */
export function undrain(audience: Audience, speaker: Speaker, given: SiteRequest): Promise<DrainedSite> {
  return setDraining(audience, speaker, given, 'undrain')
}

async function setDraining(
  audience: Audience,
  speaker: Speaker,
  given: SiteRequest,
  verb: 'drain' | 'undrain',
): Promise<DrainedSite> {
  const { subject } = await addressed(audience, speaker, verb, given)
  const site = knownName('site', given.site, subject.sites())
  const isDraining = verb === 'drain'
  await subject.setDraining(site, isDraining, speaker.who)
  audience.journal.insist(() => recordSaid(audience, subject, speaker, { verb, about: site }))
  return { site, isDraining }
}
