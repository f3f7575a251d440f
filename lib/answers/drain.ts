import { Failure } from '../errors.ts'
import { knownSite } from '../text/suggestion/unknown-name.ts'
import { recordSaid } from './record-said.ts'
import type { SiteRequest } from './request.gen.ts'
import { addressed } from './subject/addressed.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience, Subject } from './subject/subject.ts'

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
  const site = knownSite(given.site, subject.sites(), subject.unusable())
  const isDraining = verb === 'drain'
  try {
    await subject.setDraining(site, isDraining, speaker.who)
  } catch (error) {
    throw asConfigured(error, subject)
  }
  audience.journal.insist(() => recordSaid(audience, subject, speaker, { verb, about: site }))
  return { site, isDraining }
}

/** Says of an ingress that cannot be told that none is to run there, if that is so. */
function asConfigured(error: unknown, { hasNoIngress }: Subject): unknown {
  if (!hasNoIngress || !(error instanceof Failure) || error.code !== 'ingress-unreachable') return error
  return new Failure(error.code, error.message, {
    hint: '"ingress" is "off" in the configuration: tell your load balancers themselves, or configure an "ingress".',
    cause: error,
  })
}
