import { applicationHash } from '../state/application/application-hash.ts'
import { type DesiredState, variantFor } from '../state/application/desired.ts'
import { isOwnApplication } from '../state/application/own-application.ts'
import { canonical, hashOf } from '../state/canonical.ts'

/** Something that a commit says of an environment, in a form that can be compared. */
export type Fact = {
  /** The site; empty: it is about what all have in common. */
  readonly site: string
  /** The application; empty: the environment as a whole. */
  readonly about: string
  readonly what: FactKind
  readonly text: string
}

type FactKind = 'application' | 'blocked' | 'idle' | 'deployment' | 'version' | 'settings'

/**
 * Returns everything that a state says, one fact for each application and kind, for all sites and for each of these.
 * Places in files are left out, because they move with any change of the file.
 * @param sites those that differ in any of the states that are compared, so that each says something of all of them
 * @param besides an application that goes back: which version its deployment names is judged apart
 */
export function statedFacts(
  state: DesiredState,
  sites: readonly string[],
  besides?: string,
): readonly Fact[] {
  const { deployments = [], skipConfirmation } = state
  const fact = (what: FactKind, about: string, text: string): Fact => ({ site: '', what, about, text })
  return [
    ...factsOn('', state),
    ...deployments.map(({ version: _, ...deployment }) =>
      fact('deployment', deployment.application, hashOf(deployment)),
    ),
    ...deployments
      .filter(({ application }) => application !== besides)
      .map(({ application, version = '*' }) => fact('version', application, version)),
    fact('settings', '', canonical({ skipConfirmation })),
    ...sites.flatMap(site => factsOn(site, variantFor(state, site))),
  ]
}

/** What a site has. Deployments and settings are of the environment. */
function factsOn(site: string, { applications, blocked, idle = [] }: DesiredState): readonly Fact[] {
  const fact = (what: FactKind, about: string, text: string): Fact => ({ site, what, about, text })
  return [
    ...applications
      .filter(({ name }) => !isOwnApplication(name))
      .map(one => fact('application', one.name, applicationHash(one))),
    ...blocked.map(({ application, problems }) =>
      fact('blocked', application, canonical(problems.map(({ code, message }) => [code, message]))),
    ),
    ...idle.map(name => fact('idle', name, '')),
  ]
}
