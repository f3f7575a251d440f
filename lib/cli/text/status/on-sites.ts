import { splitKey } from '../../../plan/change/change.ts'
import type { PassError } from '../../../reconcile/status/error.ts'
import type { StatusDocument } from '../../../reconcile/status/status-document.ts'
import { knownName } from '../../../text/suggestion/unknown-name.ts'

/** Returns the sites of which an environment tells anything. */
export function knownSites({
  sites = [],
  applications,
  unreachable = [],
  ingress,
}: StatusDocument): ReadonlySet<string> {
  return new Set([
    ...sites.map(({ name }) => name),
    ...[...applications, ...unreachable, ...ingress].map(({ site }) => site),
  ])
}

/** Returns the site that an error is about; undefined: it is about more than one site, or about none. */
export function siteOfError(
  { resource }: Pick<PassError, 'resource'>,
  sites: ReadonlySet<string>,
): string | undefined {
  if (resource === undefined || sites.has(resource)) return resource
  const { site } = splitKey(resource)
  return sites.has(site) ? site : undefined
}

/**
 * Returns what environments tell of these sites, and of none in particular. An environment that runs on none of them is
 * left out. Fails with `wrong-usage`.
 */
export function onSites(
  environments: readonly StatusDocument[],
  wanted: readonly string[],
): readonly StatusDocument[] {
  const all = environments.flatMap(environment => [...knownSites(environment)])
  const meant = new Set(wanted.map(site => knownName('site', site, all)))
  return environments
    .filter(environment => [...knownSites(environment)].some(site => meant.has(site)))
    .map(environment => cutTo(environment, meant))
}

function cutTo(environment: StatusDocument, meant: ReadonlySet<string>): StatusDocument {
  const { applications, errors, unreachable, ingress, engines } = environment
  const isMeant = ({ site }: { readonly site: string }) => meant.has(site)
  const sites = knownSites(environment)
  return {
    ...environment,
    applications: applications.filter(isMeant),
    errors: errors.filter(error => {
      const site = siteOfError(error, sites)
      return site === undefined || meant.has(site)
    }),
    ...(unreachable === undefined ? {} : { unreachable: unreachable.filter(isMeant) }),
    ingress: ingress.filter(isMeant),
    ...(engines === undefined ? {} : { engines: engines.filter(isMeant) }),
  }
}
